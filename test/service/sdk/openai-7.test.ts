/**
 * The same suite with the newest package, which asks for a newer Node than the project does: `.ci/run`
 * installs both beside each other, outside of what an installation gets.
 */
import { describe, vi } from 'vitest';
import { openaiSuite } from './openai/suite.js';

const { isThere, load } = await vi.hoisted(async () => {
  const { existsSync } = await import('node:fs');
  const folder = new URL('../../../.cache/newest-node/node_modules/openai/', import.meta.url);
  const isNodeNewEnough = Number(process.versions.node.split('.')[0]) >= 22;
  return {
    isThere: isNodeNewEnough && existsSync(folder),
    load: (file: string): Promise<object> => import(/* @vite-ignore */ folder.href + file),
  };
});

vi.mock('openai', (original) => (isThere ? load('index.mjs') : original()));
vi.mock('openai/helpers/zod', (original) => (isThere ? load('helpers/zod.mjs') : original()));

describe.skipIf(!isThere)('the openai package 7 (needs Node 22)', () => openaiSuite(7));
