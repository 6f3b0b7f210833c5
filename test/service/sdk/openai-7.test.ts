/**
 * The same suite with the newest package, which asks for a newer Node than the project does: `.ci/run`
 * installs both beside each other, outside of what an installation gets.
 */
import { describe, it, vi } from 'vitest';

const { isThere, load } = await vi.hoisted(async () => {
  const { existsSync } = await import('node:fs');
  const folder = new URL('../../../.cache/newest-node/node_modules/openai/', import.meta.url);
  const isNodeNewEnough = Number(process.versions.node.split('.')[0]) >= 22;
  return {
    isThere: isNodeNewEnough && existsSync(folder),
    load: (file: string): Promise<object> => import(/* @vite-ignore */ folder.href + file),
  };
});

vi.mock('openai', () => load('index.mjs'));
vi.mock('openai/helpers/zod', () => load('helpers/zod.mjs'));

if (isThere) {
  const { openaiSuite } = await import('./openai/suite.js');
  describe('the openai package 7', () => openaiSuite(7));
} else {
  it.skip('the openai package 7 works with the service (needs Node 22)');
}
