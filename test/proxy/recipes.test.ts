/** What each program is started with, so that it asks the proxy of its run and nobody else. */
import { describe, expect, it } from 'vitest';
import { setupOf } from '../../src/proxy/recipes/index.js';
import type { ProgramWords } from '../../src/proxy/recipes/recipe.js';

const key = `sk-run-${'0a'.repeat(16)}`;
const rootUrl = 'http://127.0.0.1:4321';

function setup(words: ProgramWords, model: string | undefined = 'vendor/a', env = {}) {
  return setupOf(words, { address: { rootUrl, key, model }, folder: '/run', env });
}

describe('a program', () => {
  it('without a recipe is started with its own words', () => {
    const words: ProgramWords = ['python3', 'ask.py', '-m', 'x'];
    expect(setup(words)).toEqual({ words, env: {}, unset: [], files: [] });
  });

  it.each<[ProgramWords, number]>([
    [['codex', 'exec', 'hi'], 1],
    [['/usr/local/bin/codex', 'exec', 'hi'], 1],
    [[String.raw`C:\npm\codex.cmd`, 'exec', 'hi'], 1],
    [['npx', 'codex', 'exec', 'hi'], 2],
    [['npx', '-y', '@openai/codex@0.171.0', 'exec', 'hi'], 3],
  ])('is known as %j, and gets its words before those of the user', (words, at) => {
    const { words: made } = setup(words);
    expect(made.slice(0, at + 1)).toEqual([...words.slice(0, at), '-c']);
    expect(made.slice(-2)).toEqual(['exec', 'hi']);
  });

  it.each<ProgramWords>([
    ['node', 'codex.js'],
    ['npx', '--package', '@openai/codex', 'codex'],
    ['codex-helper'],
  ])('is not guessed from the words %s %s', (...words: ProgramWords) => {
    expect(setup(words).words).toEqual(words);
  });
});
