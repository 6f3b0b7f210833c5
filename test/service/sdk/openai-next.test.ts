/** The same suite with the newest package, which asks for a newer Node than the project does. */
import { describe, vi } from 'vitest';
import { openaiSuite } from './openai/suite.js';

const { isNodeNewEnough } = vi.hoisted(() => ({
  isNodeNewEnough: Number(process.versions.node.split('.')[0]) >= 22,
}));

vi.mock('openai', (original) => (isNodeNewEnough ? import('openai-next') : original()));
vi.mock('openai/helpers/zod', (original) =>
  isNodeNewEnough ? import('openai-next/helpers/zod') : original(),
);

describe.skipIf(!isNodeNewEnough)('the openai package 7 (needs Node 22)', () => openaiSuite(7));
