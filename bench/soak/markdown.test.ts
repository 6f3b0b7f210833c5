/** What a long or hostile answer costs to render. */
import { expect, test } from 'vitest';
import { plainText, splitTitle } from '../../src/service/search/documents.js';
import { openScreen, sentFor } from '../../test/terminal/rendered.js';

const piece = 4096;
const seeds = [
  ...['*', '`', '~', '#', '>', '[', '](', '\\', '- ', '*a ', '`a', '<a ', '~~a ', '1. ', 'http:'],
  ...[
    '```\n',
    '\n',
    '重',
    'word ',
    '| a | b |\n',
    '~~~\na',
    '- ```\n  a\n',
    'a|b\n-|-\n',
    '<div>\n',
  ],
];

async function millisecondsFor(seed: string, pieces: number): Promise<number> {
  const start = performance.now();
  await sentFor(Array.from({ length: pieces }, () => seed.repeat(piece / seed.length)));
  return performance.now() - start;
}

test.each(seeds)(
  '%j takes time in proportion to it',
  { timeout: 120_000, retry: 2 },
  async (seed) => {
    await millisecondsFor(seed, 8);
    const short = await millisecondsFor(seed, 32);
    expect(await millisecondsFor(seed, 128)).toBeLessThan(100 + 8 * short);
  },
);

test(
  '10 MB in one paragraph or one block of code need little memory',
  { timeout: 300_000 },
  async () => {
    for (const text of ['word **bold** ', 'const a = 1;\n']) {
      globalThis.gc?.();
      const before = process.memoryUsage().heapUsed;
      const { screen } = openScreen();
      screen.push(text.startsWith('const') ? '```js\n' : '');
      for (let sent = 0; sent < 10_000_000; sent += 65_536)
        screen.push(text.repeat(65_536 / text.length));
      globalThis.gc?.();
      expect(process.memoryUsage().heapUsed - before).toBeLessThan(20e6);
    }
  },
);

test.each(['['.repeat(50_000), '<!--'.repeat(25_000), '<a '.repeat(30_000)])(
  'a text that is searched is made plain quickly, though it was made to be slow (case %#)',
  (text) => {
    const startedMs = performance.now();
    plainText(text);
    splitTitle(text);
    expect(performance.now() - startedMs).toBeLessThan(2000);
  },
);
