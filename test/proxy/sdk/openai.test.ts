import './through.js';
import { describe } from 'vitest';
import { openaiSuite } from '../../service/sdk/openai/suite.js';

describe('the openai package 6 through the proxy', () => openaiSuite(6));
