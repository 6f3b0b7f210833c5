import { expect, test } from 'vitest';
import { FirstCodeBlock } from '../../src/lib/code-block.js';

/** What a text's first block is, the text coming in these pieces. */
function blockIn(pieces: readonly string[]): { code: string; found: boolean } {
  const block = new FirstCodeBlock();
  let code = '';
  for (const piece of pieces) code += block.push(piece);
  code += block.end();
  return { code, found: block.found };
}

const cases: readonly (readonly [name: string, text: string, code: string | undefined])[] = [
  ['a block', 'Here:\n```bash\nls\npwd\n```\nDone.', 'ls\npwd\n'],
  ['the first of two', '```\na\n```\n```\nb\n```\n', 'a\n'],
  ['a block of tildes', '~~~py\na\n~~~\n', 'a\n'],
  ['a longer fence around a shorter', '````md\n```\na\n```\n````\n', '```\na\n```\n'],
  ['a fence closed by a longer', '```\na\n`````\nb', 'a\n'],
  ['a fence with words after it is code', '```\na\n``` b\nc\n```', 'a\n``` b\nc\n'],
  ['code that shows an indented fence', '```md\n    ```\n```\n', '    ```\n'],
  ['a block in a list', '1. Do:\n   ```sh\n   ls\n     -a\n   ```\n2. x', 'ls\n  -a\n'],
  ['a line indented less than its fence', '   ```\n  a\nb\n   ```\n', 'a\nb\n'],
  ['a block that nothing closes', '```js\na\nb', 'a\nb'],
  ['a closing fence without a line feed', '```js\na\n```', 'a\n'],
  ['blank lines', '```\n\n a\n\n```\n', '\n a\n\n'],
  ['a block that opens at the very end', 'x\n```', ''],
  ['no block', 'just text with ``` inside\n', undefined],
  ['nothing', '', undefined],
];

test.each(cases)('%s is read, whole and cut anywhere', (_, text, code) => {
  const expected = { code: code ?? '', found: code !== undefined };
  for (let at = 0; at <= text.length; at++) {
    expect(blockIn([text.slice(0, at), '', text.slice(at)])).toEqual(expected);
  }
  expect(blockIn(text.split(''))).toEqual(expected);
});

test('a line is handed over as soon as it is whole', () => {
  const block = new FirstCodeBlock();
  expect(block.push('```\nfirst')).toBe('');
  expect(block.found).toBe(true);
  expect(block.push('\nsecond')).toBe('first\n');
  expect(block.push('\n')).toBe('second\n');
});

test('a line of a megabyte in small pieces is fast', () => {
  const block = new FirstCodeBlock();
  block.push('```\n');
  const start = performance.now();
  for (let count = 0; count < 250_000; count++) block.push('xxxx');
  expect(block.push('\n')).toHaveLength(1_000_001);
  expect(performance.now() - start).toBeLessThan(5000);
});
