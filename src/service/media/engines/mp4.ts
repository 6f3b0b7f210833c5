/** MP4 files (ISO/IEC 14496-12): written with the index first, and read box by box. */
import { exactly, type SizedSource } from '../../../lib/audio/source.js';
import type { MediaFile, Size } from './types.js';

type Part = Uint8Array | string | readonly number[];

export function u16(...values: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(values.length * 2);
  values.forEach((value, index) => bytes.writeUInt16BE(value, index * 2));
  return bytes;
}

export function u32(...values: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeUInt32BE(value, index * 4));
  return bytes;
}

/** A box of parts: bytes, Latin-1 text, or single bytes. */
export function box(type: string, ...parts: readonly Part[]): Uint8Array {
  const bytesOf = (part: Part) =>
    typeof part === 'string' ? Buffer.from(part, 'latin1') : Uint8Array.from(part);
  const body = Buffer.concat(parts.map(bytesOf));
  return Buffer.concat([u32(8 + body.length), bytesOf(type), body]);
}

export function fullBox(type: string, version: number, flags: number, ...parts: readonly Part[]) {
  return box(type, u32(version * 2 ** 24 + flags), ...parts);
}

export interface Track {
  readonly timescale: number;
  readonly ticksPerSample: number;
  /** The length of the track; the last sample may be shorter than the others. */
  readonly ticks: number;
  readonly entry: Uint8Array;
  readonly sampleBytes: readonly number[];
  /** The samples at which a player can begin, counted from 1; absent where it can at any. */
  readonly keys?: readonly number[];
  readonly size?: Size;
  /** All samples; a piece may be large. */
  bytes(): AsyncIterable<Uint8Array>;
}

/** What players show of a file, and the recipe by which the service draws the picture again. */
type Notes = Readonly<Record<'title' | 'description' | 'software', string>> & { recipe?: string };

const movieTimescale = 1000;
/** No turn, no scaling, as 16.16 and 2.30. */
const matrix = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);
const undetermined = 0x55c4;
/** A box of our own, which players pass over. */
export const recipeBox = 'svcr';

/** An MP4 file: the tracks one after the other. */
export function videoFile(tracks: readonly Track[], notes: Notes): MediaFile {
  const sumOf = (sampleBytes: readonly number[]) => sampleBytes.reduce((sum, one) => sum + one, 0);
  const dataBytes = sumOf(tracks.map(({ sampleBytes }) => sumOf(sampleBytes)));
  const duration = Math.max(...tracks.map(movieTicks));
  const headOf = (dataFrom: number) => {
    let offset = dataFrom;
    const boxes = tracks.map((track, index) => {
      const trak = trackBox(track, index + 1, offset);
      offset += sumOf(track.sampleBytes);
      return trak;
    });
    const times = [u32(0, 0, movieTimescale, duration, 0x10000), u16(0x100, 0), u32(0, 0)];
    const rest = u32(0, 0, 0, 0, 0, 0, tracks.length + 1);
    const header = fullBox('mvhd', 0, 0, ...times, matrix, rest);
    const type = box('ftyp', 'isom', u32(0x200), 'isomiso2avc1mp41');
    return Buffer.concat([type, box('moov', header, ...boxes, notesBox(notes))]);
  };
  const bytes = async function* () {
    // The index has the same length wherever it points to.
    yield headOf(headOf(0).length + 8);
    yield Buffer.concat([u32(8 + dataBytes), Buffer.from('mdat')]);
    for (const track of tracks) yield* track.bytes();
  };
  return { mediaType: 'video/mp4', ext: 'mp4', bytes };
}

function movieTicks({ ticks, timescale }: Track): number {
  return Math.round((ticks * movieTimescale) / timescale);
}

function trackBox(track: Track, id: number, offset: number): Uint8Array {
  const { timescale, ticks, ticksPerSample, entry, sampleBytes, keys, size } = track;
  const { width, height } = size ?? { width: 0, height: 0 };
  const [handler, volume] = size ? ['vide', 0] : ['soun', 0x100];
  const times = u32(0, 0, id, 0, movieTicks(track), 0, 0);
  const shown = [u16(0, 0, volume, 0), matrix, u32(width * 65_536, height * 65_536)];
  const enabledInMovie = 3;
  const header = fullBox('tkhd', 0, enabledInMovie, times, ...shown);
  const count = sampleBytes.length;
  const last = ticks - (count - 1) * ticksPerSample;
  const table = box(
    'stbl',
    fullBox('stsd', 0, 0, u32(1), entry),
    fullBox('stts', 0, 0, u32(2, count - 1, ticksPerSample, 1, last)),
    keys ? fullBox('stss', 0, 0, u32(keys.length, ...keys)) : [],
    fullBox('stsc', 0, 0, u32(1, 1, count, 1)),
    fullBox('stsz', 0, 0, u32(0, count, ...sampleBytes)),
    fullBox('stco', 0, 0, u32(1, offset)),
  );
  const kindHeader = size ? fullBox('vmhd', 0, 1, u32(0, 0)) : fullBox('smhd', 0, 0, u32(0));
  const inThisFile = box('dinf', fullBox('dref', 0, 0, u32(1), fullBox('url ', 0, 1)));
  const media = box(
    'mdia',
    fullBox('mdhd', 0, 0, u32(0, 0, timescale, ticks), u16(undetermined, 0)),
    fullBox('hdlr', 0, 0, u32(0), handler, u32(0, 0, 0), size ? 'video\0' : 'audio\0'),
    box('minf', kindHeader, inThisFile, table),
  );
  return box('trak', header, media);
}

/** An iTunes metadata list. */
export function notesBox({ title, description, software, recipe }: Notes): Uint8Array {
  const handler = fullBox('hdlr', 0, 0, u32(0), 'mdirappl', u32(0, 0), [0]);
  const utf8 = (text: string) => box('data', u32(1, 0), Buffer.from(text, 'utf8'));
  const items = [box('\xa9nam', utf8(title)), box('\xa9too', utf8(software))];
  const list = box('ilst', ...items, box('desc', utf8(description)));
  const own = recipe === undefined ? [] : box(recipeBox, Buffer.from(recipe, 'utf8'));
  return box('udta', fullBox('meta', 0, 0, handler, list), own);
}

/** H.264, each NAL unit after its length in four bytes. */
export function h264Entry(
  { width, height }: Size,
  sequence: Uint8Array,
  picture: Uint8Array,
): Uint8Array {
  /** Square pixels at 72 dots an inch, as 16.16. */
  const dots = 72 * 65_536;
  const sets = [u16(sequence.length), sequence, [1], u16(picture.length), picture] as const;
  const settings = box('avcC', [1], sequence.subarray(1, 4), [0xff, 0xe1], ...sets);
  const head = [u16(0, 0, 0, 1), u32(0, 0, 0, 0), u16(width, height), u32(dots, dots, 0), u16(1)];
  return box('avc1', ...head, Buffer.alloc(32), u16(0x18, 0xffff), settings);
}

/** MPEG audio of layer III. */
export function mp3Entry({ channels, sampleRate }: { channels: number; sampleRate: number }) {
  const [mpeg1Audio, audioStream] = [0x6b, 0x15];
  const descriptor = (tag: number, body: readonly number[]) => [tag, body.length, ...body];
  const decoder = descriptor(4, [mpeg1Audio, audioStream, ...Buffer.alloc(11)]);
  const stream = descriptor(3, [0, 1, 0, ...decoder, ...descriptor(6, [2])]);
  const head = [u16(0, 0, 0, 1), u32(0, 0), u16(channels, 16, 0, 0), u32(sampleRate * 65_536)];
  return box('mp4a', ...head, fullBox('esds', 0, 0, stream));
}

/** More boxes in a file, or bytes in its index, than any honest file has. */
const mostBoxes = 100_000;
const mostMovieBytes = 64 * 1024 * 1024;

/** What the box `moov` of a file holds; empty when it has none. */
export async function readMovie(source: SizedSource): Promise<Buffer> {
  let at = 0;
  for (let count = 0; at + 8 <= source.length && count < mostBoxes; count++) {
    const head = await exactly(source, at, 16);
    const short = head.readUInt32BE(0);
    const isLong = short === 1 && head.length === 16;
    const headBytes = isLong ? 16 : 8;
    const toEnd = short === 0 ? source.length - at : short;
    const length = isLong ? Number(head.readBigUInt64BE(8)) : toEnd;
    if (length < headBytes) break;
    if (head.toString('latin1', 4, 8) === 'moov') {
      return exactly(source, at + headBytes, Math.min(length - headBytes, mostMovieBytes));
    }
    at += length;
  }
  return Buffer.alloc(0);
}

/** The boxes in the content of another, by what they hold. A damaged one ends the list. */
export function* boxesIn(content: Buffer, type: string): Generator<Buffer, undefined> {
  for (let at = 0; at + 8 <= content.length;) {
    const length = content.readUInt32BE(at);
    if (length < 8) return;
    const found = content.toString('latin1', at + 4, at + 8);
    if (found === type) yield content.subarray(at + 8, at + length);
    at += length;
  }
}

/** What the box at the end of a path of types holds; empty when there is none. */
export function contentAt(content: Buffer, ...path: readonly string[]): Buffer {
  const inside = (outer: Buffer, type: string): Buffer =>
    boxesIn(outer, type).next().value ?? Buffer.alloc(0);
  return path.reduce(inside, content);
}
