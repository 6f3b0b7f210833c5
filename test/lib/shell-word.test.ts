import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { shellWord } from '../../src/lib/shell-word.js';

test.each(['plain', 'a/b.c:d@e-f', '', "it's", '$(id) `id` "x" \\ * ~ !', '-n', 'a\nb', 'ы 漢'])(
  '%j is one word to a shell',
  (text) => {
    const printed = execFileSync('/bin/sh', ['-c', `printf '%s' ${shellWord(text)}`]);
    expect(printed.toString()).toBe(text);
  },
);

test.each([
  ['ticket_1', 'ticket_1'],
  ['two words', "'two words'"],
  ['maker/model+x:a,b%1@2', 'maker/model+x:a,b%1@2'],
])('%s is written as %s', (text, word) => {
  expect(shellWord(text)).toBe(word);
});
