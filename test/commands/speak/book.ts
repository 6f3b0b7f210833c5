/** A book of four pieces, and how it is spoken. */
import { commentsIn, readWav } from '../../../src/lib/audio/wav.js';
import { bufferSource } from '../../../src/lib/audio/source.js';
import { read, sound, talker, type Talker } from './talker.js';

export const paragraph = (letter: string) => `${letter.repeat(9001)}.\n\n`;
export const letters = ['a', 'b', 'c', 'd'];
export const long = letters.map(paragraph).join('');

/** Speaks it to a file. */
export async function speaking(name = 'book.wav') {
  const at = await talker();
  const path = at.path(name);
  const speak = (...more: string[]) =>
    at.svc(['speak', '-m', 'vendor/voice', '-o', path, ...more, '--', long]);
  return { at, path, speak };
}

/** The letters of the pieces that were asked for, in order. */
export const asked = (at: Talker) => at.posted().map(({ input }) => String(input)[0]);

/** The piece breaks off in its middle. */
export const cutAt = (at: Talker, nth: number) => at.speech({ nth, cutAfterBytes: 4 });

/** Whether a file holds the sound of the whole book, and its text. */
export async function contentOf(path: string) {
  const bytes = read(path);
  const file = await readWav(bufferSource(bytes));
  return {
    isSound: bytes.subarray(file?.dataFrom, file?.dataTo).equals(sound(long)),
    isText: commentsIn(file?.lists ?? []).join('') === long,
  };
}

/** A file for the request of this number. */
export const flac = (_seen: unknown, nth: number) => ({
  bytes: Buffer.from(`fLaC${nth}`),
  headers: { 'content-type': 'audio/flac' },
});

const sentence = 'A boat came out of the mist; “who is there?” cried the gulls — никто 😀.';
/** A text of two pieces, with what speech must not change. */
export const chapter = Array.from({ length: 180 }, (_, index) =>
  index % 7 === 6 ? `${sentence}\r\n\r\n` : `${String(index)}  ${sentence} `,
).join('');
