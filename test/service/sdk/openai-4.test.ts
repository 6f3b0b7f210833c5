/** The same suite with the version that many projects still have. */
import { describe, vi } from 'vitest';
import { openaiSuite } from './openai/suite.js';

vi.mock('openai', () => import('openai-4'));
vi.mock('openai/helpers/zod', () => import('openai-4/helpers/zod'));

describe('the openai package 4', () => openaiSuite(4));
