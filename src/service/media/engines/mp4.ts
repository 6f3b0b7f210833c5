/** MP4 files (ISO/IEC 14496-12): written with the index first, and read box by box. */
import { exactly, type SizedSource } from '../../../lib/audio/source.js';
import type { Size } from './define.js';

/** A box of parts: bytes, Latin-1 text, or numbers of 32 bits. */
export function box(type: string, ...parts: readonly (Uint8Array | string | number)[]): Buffer {
  const pieces = parts.map((part) => {
    if (typeof part === 'string') return Buffer.from(part, 'latin1');
    return typeof part === 'number' ? u32(part) : part;
  });
  const length = pieces.reduce((sum, piece) => sum + piece.length, 8);
  return Buffer.concat([u32(length), Buffer.from(type, 'latin1'), ...pieces]);
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
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
  /** Of a video. */
  readonly size?: Size;
  /** All samples; a piece may be large. */
  bytes(): AsyncIterable<Uint8Array>;
}

/** What players show of a file, and the recipe by which the service draws the picture again. */
type Notes = Readonly<Record<'title' | 'description' | 'software', string>> & { recipe?: string };

const movieTimescale = 1000;
/** No turn, no scaling, as 16.16 and 2.30. */
const matrix = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];

/** An MP4 file: the tracks one after the other. */
export async function* movieBytes(tracks: readonly Track[], notes: Notes) {
  const lengths = tracks.map(({ sampleBytes }) => sampleBytes.reduce((sum, one) => sum + one, 0));
  const indexAt = (dataFrom: number) => {
    let offset = dataFrom;
    const boxes = tracks.map((track, index) => {
      const trak = trackBox(track, index + 1, offset);
      offset += lengths[index] ?? 0;
      return trak;
    });
    const times = [0, 0, movieTimescale, Math.max(...tracks.map(movieTicks)), 0x10000];
    const rest = [0, 0, 0, 0, 0, 0, tracks.length + 1];
    const header = box('mvhd', 0, ...times, 0x1000000, 0, 0, ...matrix, ...rest);
    const type = box('ftyp', 'isom', 0x200, 'isomiso2avc1mp41');
    return Buffer.concat([type, box('moov', header, ...boxes, notesBox(notes))]);
  };
  // The index has the same length wherever it points to.
  yield indexAt(indexAt(0).length + 8);
  yield Buffer.concat([u32(lengths.reduce((sum, one) => sum + one, 8)), Buffer.from('mdat')]);
  for (const track of tracks) yield* track.bytes();
}

function movieTicks({ ticks, timescale }: Track): number {
  return Math.round((ticks * movieTimescale) / timescale);
}

function trackBox(track: Track, id: number, offset: number): Uint8Array {
  const { timescale, ticks, ticksPerSample, entry, sampleBytes, keys, size } = track;
  const { width, height } = size ?? { width: 0, height: 0 };
  const enabledInMovie = 3;
  const volume = size ? 0 : 0x1000000;
  const shown = [0, 0, 0, volume, ...matrix, width * 65_536, height * 65_536];
  const header = box('tkhd', enabledInMovie, 0, 0, id, 0, movieTicks(track), ...shown);
  const count = sampleBytes.length;
  const last = ticks - (count - 1) * ticksPerSample;
  const table = box(
    'stbl',
    box('stsd', 0, 1, entry),
    box('stts', 0, 2, count - 1, ticksPerSample, 1, last),
    keys ? box('stss', 0, keys.length, ...keys) : '',
    box('stsc', 0, 1, 1, count, 1),
    box('stsz', 0, 0, count, ...sampleBytes),
    box('stco', 0, 1, offset),
  );
  const kindHeader = size ? box('vmhd', 1, 0, 0) : box('smhd', 0, 0);
  const inThisFile = box('dinf', box('dref', 0, 1, box('url ', 1)));
  const undetermined = 0x55c4_0000;
  const media = box(
    'mdia',
    box('mdhd', 0, 0, 0, timescale, ticks, undetermined),
    box('hdlr', 0, 0, size ? 'vide' : 'soun', 0, 0, 0, size ? 'video\0' : 'audio\0'),
    box('minf', kindHeader, inThisFile, table),
  );
  return box('trak', header, media);
}

/** An iTunes metadata list, and the recipe in a box of our own, which players pass over. */
export function notesBox({ title, description, software, recipe }: Notes): Uint8Array {
  const note = (type: string, text: string) => box(type, box('data', 1, 0, Buffer.from(text)));
  const items = [note('\xa9nam', title), note('\xa9too', software), note('desc', description)];
  const handler = box('hdlr', 0, 0, 'mdirappl', 0, 0, '\0');
  const own = recipe === undefined ? '' : box('svcr', Buffer.from(recipe));
  return box('udta', box('meta', 0, handler, box('ilst', ...items)), own);
}

/** H.264, each NAL unit after its length in four bytes. */
export function h264Entry({ width, height }: Size, sequence: Uint8Array, picture: Uint8Array) {
  const settings = Buffer.concat([
    Uint8Array.of(1, ...sequence.subarray(1, 4), 0xff, 0xe1, 0, sequence.length),
    sequence,
    Uint8Array.of(1, 0, picture.length),
    picture,
  ]);
  /** Square pixels at 72 dots an inch, as 16.16. */
  const dots = 72 * 65_536;
  const shown = [width * 65_536 + height, dots, dots, 0];
  const oneFrameUnnamed = `\0\x01${'\0'.repeat(32)}`;
  const head = [0, 1, 0, 0, 0, 0, ...shown, oneFrameUnnamed, 0x18ffff];
  return box('avc1', ...head, box('avcC', settings));
}

/** MPEG audio of layer III. */
export function mp3Entry({ channels, sampleRate }: { channels: number; sampleRate: number }) {
  // Descriptors of a stream, of its decoder (MPEG-1 audio, 11 bytes of rates) and of its packing.
  const stream = [3, 21, 0, 1, 0, 4, 13, 0x6b, 0x15, ...Buffer.alloc(11), 6, 1, 2];
  const head = [0, 1, 0, 0, channels * 65_536 + 16, 0, sampleRate * 65_536];
  return box('mp4a', ...head, box('esds', 0, Uint8Array.from(stream)));
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

/** The boxes of a movie in order, with those in its tracks and notes. A damaged one ends the list. */
export function boxesIn(movie: Buffer) {
  const boxes: { type: string; content: Buffer }[] = [];
  for (let at = 0; at + 8 <= movie.length && boxes.length < mostBoxes;) {
    const length = movie.readUInt32BE(at);
    if (length < 8) break;
    const type = movie.toString('latin1', at + 4, at + 8);
    boxes.push({ type, content: movie.subarray(at + 8, at + length) });
    at += /^(trak|mdia|udta)$/.test(type) ? 8 : length;
  }
  return boxes;
}
