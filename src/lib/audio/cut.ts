/** Cuts a WAV file into smaller ones: where it was joined, else where it is quiet. */
import { span, type ByteSource, type SizedSource } from './source.js';
import {
  commentsIn,
  mostSharedBytes,
  sharedLists,
  wavBytes,
  wavHead,
  type WavFile,
  type WavFormat,
} from './wav.js';

/** A part of the sound, as a file of its own. */
export interface Cut {
  /** Where it lies in the sound, in seconds. */
  readonly fromSeconds: number;
  readonly toSeconds: number;
  /** The bytes of its file. */
  readonly length: number;
  readonly bytes: () => AsyncGenerator<Buffer, void, undefined>;
  /** What the file itself says is spoken in it; empty when it does not. */
  readonly comment: string;
}

/** Its samples are packed, so that nobody can tell where it is quiet. */
export class CannotCut extends Error {
  override readonly name = 'CannotCut';
}

/** From and to in bytes of the source, with the notes that belong to it. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly lists: readonly Buffer[];
}

/** Quiet is looked for in so much sound before the limit. */
const searchSeconds = 30;

/**
 * The parts in their order, none larger than `maxBytes`. Reads a stretch before each cut, and holds
 * none of it.
 * @throws CannotCut
 */
export async function cutWav(source: SizedSource, wav: WavFile, maxBytes: number): Promise<Cut[]> {
  const cuts: Cut[] = [];
  const fits = (stretch: Stretch) => fileBytes(wav, stretch) <= maxBytes;
  let gathered: Stretch | undefined;
  const giveOut = () => {
    if (gathered) cuts.push(cutOf(source, wav, gathered));
    gathered = undefined;
  };
  for (const stretch of stretchesIn(wav)) {
    const { to, lists } = stretch;
    const joined: Stretch = gathered
      ? { from: gathered.from, to, lists: [...gathered.lists, ...lists] }
      : stretch;
    if (fits(joined)) {
      gathered = joined;
      continue;
    }
    giveOut();
    if (fits(stretch)) gathered = stretch;
    else
      for (const part of await quietParts(source, wav, stretch, maxBytes)) {
        cuts.push(cutOf(source, wav, part));
      }
  }
  giveOut();
  return cuts;
}

/** A file that was joined has a mark, and notes, for each of its pieces; all else is one piece. */
function stretchesIn({ dataFrom, dataTo, format, lists, marks }: WavFile): Stretch[] {
  const places = marks.map((mark) => dataFrom + mark * format.blockBytes);
  const isJoined =
    places[0] === dataFrom &&
    lists.length === marks.length &&
    places.every((place) => place <= dataTo);
  if (!isJoined) return [{ from: dataFrom, to: dataTo, lists }];
  return places.map((from, index) => {
    const list = lists[index];
    return { from, to: places[index + 1] ?? dataTo, lists: list ? [list] : [] };
  });
}

/** Where it is quiet; what the notes say is shared out among the parts by how long they are. */
async function quietParts(
  source: SizedSource,
  { format }: WavFile,
  { from, to, lists }: Stretch,
  maxBytes: number,
): Promise<Stretch[]> {
  const loudness = loudnessFor(format);
  if (!loudness) throw new CannotCut('its sound is packed');
  const noteBytes = mostSharedBytes(lists);
  // Notes that would leave little room for the sound are no words of a voice.
  const isNoted = noteBytes <= maxBytes / 2;
  const { blockBytes } = format;
  const whole = (bytes: number) => Math.floor(bytes / blockBytes) * blockBytes;
  const most = whole(maxBytes - wavBytes(format, 0, isNoted ? noteBytes : 0) - 1);
  const search = whole(Math.min(most / 2, searchSeconds * format.bytesPerSecond));
  const ends: number[] = [];
  for (let at = from; to - at > most; at = ends.at(-1) ?? to) {
    ends.push(await quietestPlace(source, format, loudness, [at + most - search, at + most]));
  }
  ends.push(to);
  const shares = ends.map((end) => (end - from) / (to - from));
  const shared = isNoted ? sharedLists(lists, shares) : [];
  return ends.map((end, index) => {
    const list = shared[index];
    return { from: ends[index - 1] ?? from, to: end, lists: list ? [list] : [] };
  });
}

function listBytes({ lists }: Stretch): number {
  return lists.reduce((sum, list) => sum + list.length, 0);
}

function fileBytes({ format }: WavFile, stretch: Stretch): number {
  return wavBytes(format, stretch.to - stretch.from, listBytes(stretch));
}

function cutOf(source: SizedSource, wav: WavFile, stretch: Stretch): Cut {
  const { format, dataFrom } = wav;
  const { from, to, lists } = stretch;
  const seconds = (place: number) => (place - dataFrom) / format.bytesPerSecond;
  return {
    fromSeconds: seconds(from),
    toSeconds: seconds(to),
    length: fileBytes(wav, stretch),
    comment: commentsIn(lists).join(''),
    bytes: async function* () {
      yield wavHead(format, to - from, listBytes(stretch));
      yield* span(source, from, to);
      if ((to - from) % 2 === 1) yield Buffer.alloc(1);
      yield* lists;
    },
  };
}

/** How loud samples are: the sum of their squares. */
type Loudness = (bytes: Buffer) => number;

const frameSeconds = 0.02;
/** A pause between words is shorter, one between sentences seldom. */
const pauseFrames = 15;

/**
 * The middle of the quietest 0.3 s between two places, in bytes from the start of the source and
 * on a whole block; of equally quiet ones the last. Where nothing can be measured, the end.
 */
async function quietestPlace(
  source: ByteSource,
  { sampleRate, blockBytes }: WavFormat,
  loudness: Loudness,
  [from, to]: readonly [from: number, to: number],
): Promise<number> {
  const frameBytes = Math.max(1, Math.round(sampleRate * frameSeconds)) * blockBytes;
  const levels = await levelsOf(source, loudness, { from, to, frameBytes });
  if (levels.length === 0) return to;
  const width = Math.min(pauseFrames, levels.length);
  let sum = levels.slice(0, width).reduce((total, level) => total + level, 0);
  let best = { at: 0, sum };
  for (let at = 1; at + width <= levels.length; at += 1) {
    sum += (levels[at + width - 1] ?? 0) - (levels[at - 1] ?? 0);
    // Adding and taking away leaves a little behind: silence is silence all the same.
    if (sum <= best.sum + 1e-9) best = { at, sum };
  }
  return from + (best.at + Math.floor(width / 2)) * frameBytes;
}

/** How loud each whole frame is. */
async function levelsOf(
  source: ByteSource,
  loudness: Loudness,
  { from, to, frameBytes }: { from: number; to: number; frameBytes: number },
): Promise<number[]> {
  const levels: number[] = [];
  let held: Buffer = Buffer.alloc(0);
  for await (const piece of span(source, from, to)) {
    const bytes = held.length === 0 ? piece : Buffer.concat([held, piece]);
    let at = 0;
    for (; at + frameBytes <= bytes.length; at += frameBytes) {
      levels.push(loudness(bytes.subarray(at, at + frameBytes)));
    }
    held = bytes.subarray(at);
  }
  return levels;
}

/** Undefined where samples of this format cannot be read without decoding. */
function loudnessFor({ encoding, bitsPerSample }: WavFormat): Loudness | undefined {
  const read = readers[`${String(encoding)}/${String(bitsPerSample)}`];
  if (!read) return undefined;
  const step = bitsPerSample / 8;
  return (bytes) => {
    let sum = 0;
    for (let at = 0; at + step <= bytes.length; at += step) sum += read(bytes, at) ** 2;
    return sum;
  };
}

/** A sample as a part of the loudest there can be, by encoding and bits. */
const readers: Readonly<Record<string, (bytes: Buffer, at: number) => number>> = {
  '1/8': (bytes, at) => (bytes.readUInt8(at) - 128) / 128,
  '1/16': (bytes, at) => bytes.readInt16LE(at) / 2 ** 15,
  '1/24': (bytes, at) => bytes.readIntLE(at, 3) / 2 ** 23,
  '1/32': (bytes, at) => bytes.readInt32LE(at) / 2 ** 31,
  '3/32': (bytes, at) => bytes.readFloatLE(at),
  '3/64': (bytes, at) => bytes.readDoubleLE(at),
};
