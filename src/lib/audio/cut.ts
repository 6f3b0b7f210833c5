/** Splits a WAV file into smaller ones: where it was joined, otherwise in silence. */
import { textShares } from '../text-pieces.js';
import { exactly, span, type SizedSource } from './source.js';
import { commentsIn, listOf, notesIn, wavBytes, wavHead } from './wav.js';
import type { WavFile, WavFormat } from './wav.js';

/** A part of a WAV file, as a file. */
export interface Cut {
  readonly content: { readonly length: number; readonly open: () => AsyncGenerator<Buffer> };
  /** Its place in the whole. */
  readonly seconds: { readonly from: number; readonly to: number };
  /** The spoken text that the file itself contains; may be empty. */
  readonly comment: string;
}

/** Its samples are compressed, so silence cannot be found. */
export class CannotCut extends Error {}

/** From and to in bytes of the source, with the notes that belong to it. */
type Stretch = Readonly<Record<'from' | 'to', number>> & { readonly lists: readonly Buffer[] };

/** The length before the limit in which silence is searched for. */
const searchSeconds = 30;

/** No part is larger than `maxBytes`; no audio is held in memory. @throws CannotCut */
export async function cutWav(source: SizedSource, wav: WavFile, maxBytes: number): Promise<Cut[]> {
  const fits = ({ from, to, lists }: Stretch) =>
    wavBytes(wav.format, to - from, Buffer.concat(lists).length) <= maxBytes;
  const parts: Stretch[] = [];
  let isOpen = false;
  for (const stretch of stretchesIn(wav)) {
    const last = isOpen ? parts.at(-1) : undefined;
    const joined = last && { ...last, to: stretch.to, lists: [...last.lists, ...stretch.lists] };
    if (joined && fits(joined)) parts.splice(-1, 1, joined);
    else if (fits(stretch)) parts.push(stretch);
    else parts.push(...(await quietParts(source, wav, stretch, maxBytes)));
    isOpen = fits(stretch);
  }
  return parts.map((part) => cutOf(source, wav, part));
}

/** A joined file has a mark, and notes, for each of its pieces; any other file is one piece. */
function stretchesIn({ dataFrom, dataTo, format, lists, marks }: WavFile): Stretch[] {
  const places = marks.map((mark) => dataFrom + mark * format.blockBytes);
  const areInside = places[0] === dataFrom && places.every((place) => place <= dataTo);
  if (!areInside || lists.length !== marks.length) return [{ from: dataFrom, to: dataTo, lists }];
  return places.map((from, index) => ({
    from,
    to: places[index + 1] ?? dataTo,
    lists: lists.slice(index, index + 1),
  }));
}

/** In silence; the notes are divided among the parts by length. */
async function quietParts(
  source: SizedSource,
  { format }: WavFile,
  { from, to, lists }: Stretch,
  maxBytes: number,
): Promise<Stretch[]> {
  const words = commentsIn(lists).join('');
  const others = notesIn(lists).filter(({ name }) => name !== 'ICMT');
  const noted = (text: string) => listOf([...others, { name: 'ICMT', text }]);
  const noteBytes = words === '' ? 0 : noted(words).length;
  // Notes that would leave little room for the audio are not the text of a voice.
  const isNoted = words !== '' && noteBytes <= maxBytes / 2;
  const whole = (bytes: number) => Math.floor(bytes / format.blockBytes) * format.blockBytes;
  const maxPartBytes = whole(maxBytes - wavBytes(format, 0, isNoted ? noteBytes : 0) - 1);
  const search = whole(Math.min(maxPartBytes / 2, searchSeconds * format.bytesPerSecond));
  const ends: number[] = [];
  for (let at = from; to - at > maxPartBytes; at = ends.at(-1) ?? to) {
    ends.push(await quietestPlace(source, format, at + maxPartBytes - search, at + maxPartBytes));
  }
  ends.push(to);
  const shares = textShares(
    words,
    ends.map((end) => (end - from) / (to - from)),
  );
  return ends.map((end, index) => ({
    from: ends[index - 1] ?? from,
    to: end,
    lists: isNoted ? [noted(shares[index] ?? '')] : [],
  }));
}

function cutOf(source: SizedSource, wav: WavFile, { from, to, lists }: Stretch): Cut {
  const { format, dataFrom } = wav;
  const tail = Buffer.concat(lists);
  const open = async function* () {
    yield wavHead(format, to - from, tail.length);
    yield* span(source, from, to);
    if ((to - from) % 2 === 1) yield Buffer.alloc(1);
    yield tail;
  };
  const seconds = (place: number) => (place - dataFrom) / format.bytesPerSecond;
  return {
    content: { length: wavBytes(format, to - from, tail.length), open },
    seconds: { from: seconds(from), to: seconds(to) },
    comment: commentsIn(lists).join(''),
  };
}

const frameSeconds = 0.02;
const pauseFrames = 15;

/** The middle of the quietest 0.3 s, on a whole block; the last of equals. @throws CannotCut */
async function quietestPlace(
  source: SizedSource,
  { encoding, bitsPerSample, sampleRate, blockBytes }: WavFormat,
  from: number,
  to: number,
): Promise<number> {
  const sampleAt = readers[`${encoding}/${bitsPerSample}`];
  if (!sampleAt) throw new CannotCut('its audio is compressed');
  const frameBytes = Math.max(1, Math.round(sampleRate * frameSeconds)) * blockBytes;
  const step = bitsPerSample / 8;
  const levels: number[] = [];
  for (let at = from; at + frameBytes <= to; at += frameBytes) {
    const frame = await exactly(source, at, frameBytes);
    let level = 0;
    for (let sample = 0; sample + step <= frame.length; sample += step) {
      level += sampleAt(frame, sample) ** 2;
    }
    levels.push(level);
  }
  const width = Math.min(pauseFrames, levels.length);
  let best = { place: to, level: Infinity };
  for (let at = 0; width > 0 && at + width <= levels.length; at += 1) {
    const level = levels.slice(at, at + width).reduce((sum, one) => sum + one, 0);
    const place = from + (at + Math.floor(width / 2)) * frameBytes;
    if (level <= best.level) best = { place, level };
  }
  return best.place;
}

/** A sample relative to the loudest possible, by encoding and bits. */
export const readers: Readonly<Record<string, (bytes: Buffer, at: number) => number>> = {
  '1/8': (bytes, at) => (bytes.readUInt8(at) - 128) / 128,
  '1/16': (bytes, at) => bytes.readInt16LE(at) / 2 ** 15,
  '1/24': (bytes, at) => bytes.readIntLE(at, 3) / 2 ** 23,
  '1/32': (bytes, at) => bytes.readInt32LE(at) / 2 ** 31,
  '3/32': (bytes, at) => bytes.readFloatLE(at),
  '3/64': (bytes, at) => bytes.readDoubleLE(at),
};
