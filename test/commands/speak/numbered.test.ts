import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { flac, letters, speaking } from './book.js';
import { read } from './talker.js';

it('pieces that got no names of their own are not paid for again', async () => {
  const { at, speak } = await speaking('book.flac');
  const third = at.path('book-3.flac');
  at.speech({ answer: flac });
  // The name was free when it was looked for.
  at.speech({
    nth: letters.length,
    first: () => writeFileSync(third, 'mine'),
    answer: (seen) => flac(seen, letters.length),
  });
  expect((await speak()).code).not.toBe(0);
  expect(read(third).toString()).toBe('mine');
  const { length } = at.posted();
  expect((await speak('--resume', '--force')).code).toBe(0);
  expect(at.posted()).toHaveLength(length);
  expect(at.files()).toEqual(letters.map((_, index) => `book-${String(index + 1)}.flac`));
  expect(read(at.path('book-1.flac')).toString()).toBe('fLaC1');
});
