import { describe } from 'vitest';
import { openaiSuite } from './openai/suite.js';

describe('the openai package 6', () => openaiSuite(6));
