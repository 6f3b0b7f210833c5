import './through.js';
import { describe, vi } from 'vitest';
import { openaiSuite } from '../../service/sdk/openai/suite.js';

vi.mock('openai', () => import('openai-4'));
vi.mock('openai/helpers/zod', () => import('openai-4/helpers/zod'));

describe('the openai package 4 through the proxy', () => openaiSuite(4));
