/** MP4 files (ISO/IEC 14496-12), read box by box and written with the index first, of H.264 blocks. */
import { exactly, type SizedSource } from '../../../lib/audio/source.js';
import type { Paint, Size } from './model.js';

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
  readonly size?: Size;
  /** All samples; a piece may be large. */
  bytes(): AsyncIterable<Uint8Array>;
}

const movieTimescale = 1000;
/** No turn, no scaling, as 16.16 and 2.30. */
const matrix = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];

/** An MP4 file: the tracks one after the other, and a note that players pass over. */
export async function* movieBytes(tracks: readonly Track[], note = '') {
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
    return Buffer.concat([
      type,
      box('moov', header, ...boxes, box('udta', box('svcr', Buffer.from(note)))),
    ]);
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

/** MPEG audio of layer III. */
export function mp3Entry({ isMono, sampleRate }: { isMono: boolean; sampleRate: number }) {
  // Descriptors of a stream, of its decoder (MPEG-1 audio, 11 bytes of rates) and of its packing.
  const stream = [3, 21, 0, 1, 0, 4, 13, 0x6b, 0x15, ...Buffer.alloc(11), 6, 1, 2];
  const head = [0, 1, 0, 0, (isMono ? 1 : 2) * 65_536 + 16, 0, sampleRate * 65_536];
  return box('mp4a', ...head, box('esds', 0, Uint8Array.from(stream)));
}

/** More boxes in a file, or bytes in one of them, than any honest file has. */
const maxBoxes = 100_000;
const maxBoxBytes = 16 * 1024 * 1024;

/** The heads of a film and its tracks, and its note. A damaged box ends the list. */
export async function boxesIn(source: SizedSource) {
  const boxes: { type: string; content: Buffer }[] = [];
  for (let at = 0, count = 0; count < maxBoxes; count++) {
    const head = await exactly(source, at, 8);
    const length = head.length < 8 ? 0 : head.readUInt32BE(0);
    if (length < 8) break;
    const type = head.toString('latin1', 4);
    if (/^(mvhd|tkhd|svcr)$/.test(type)) {
      const content = await exactly(source, at + 8, Math.min(length - 8, maxBoxBytes));
      boxes.push({ type, content });
    }
    at += /^(moov|trak|udta)$/.test(type) ? 8 : length;
  }
  return boxes;
}

export const framesPerSecond = 24;
const ticksPerFrame = 512;

export interface Frame {
  readonly paint: Paint;
  /** The blocks in which it differs from the last one, in order; absent where a player can begin. */
  readonly blocks?: readonly number[];
}

/** Sides in blocks of 16 x 16 pixels. */
export function gridOf({ width, height }: Size) {
  return { columns: Math.ceil(width / 16), rows: Math.ceil(height / 16) };
}

/** An unsigned number as bits, ue(v). */
function ue(value: number): string {
  const code = (value + 1).toString(2);
  return code.padStart(2 * code.length - 1, '0');
}

function byte(value: number): string {
  return (value % 256).toString(2).padStart(8, '0');
}

/** Bits as bytes, with zeros up to the last whole one. */
function bytesOf(...bits: readonly string[]): Uint8Array {
  const all = bits.join('').match(/.{1,8}/g) ?? [];
  return Uint8Array.from(all, (bits) => Number.parseInt(bits.padEnd(8, '0'), 2));
}

/** The NAL unit of a frame: what stands before each of its blocks, and its end; a key has number 0. */
function unitOf(count: number, number: number, blocks: readonly number[]): Uint8Array[] {
  const isKey = number === 0;
  // First block, kind of slice, parameters, number; then what the kind asks for, and no filter.
  const [unit, slice, own] = isKey ? ['01100101', 7, `${ue(0)}00`] : ['01100001', 5, '000'];
  let bits = unit + ue(0) + ue(slice) + ue(0) + byte(number) + own + ue(0) + ue(1);
  let next = 0;
  const heads = blocks.map((block) => {
    // Among changes, how many blocks are skipped stands before each, and kinds count from 5 on.
    const head = bytesOf(bits, isKey ? ue(25) : ue(block - next) + ue(30));
    bits = '';
    next = block + 1;
    return head;
  });
  const skipped = !isKey && next < count ? ue(count - next) : '';
  return [...heads, bytesOf(bits, skipped, '1')];
}

/** The samples of a block: 256 of brightness, 64 each of two colors (BT.709, limited range). */
function drawBlock({ width, height }: Size, block: number, paint: Paint): Uint8Array {
  const { columns } = gridOf({ width, height });
  const [left, top] = [(block % columns) * 16, Math.floor(block / columns) * 16];
  const samples = new Uint8Array(384);
  for (let at = 0; at < 256; at++) {
    const x = Math.min(width - 1, left + (at % 16)) + 0.5;
    const y = Math.min(height - 1, top + (at >> 4)) + 0.5;
    const [r, g, b] = paint(x, y);
    samples[at] = 16.5 + 0.18259 * r + 0.61423 * g + 0.06201 * b;
    // Four pixels share a color: that of the last.
    if (at % 2 === 0 || (at >> 4) % 2 === 0) continue;
    const color = 256 + (at >> 5) * 8 + ((at % 16) >> 1);
    samples[color] = 128.5 - 0.10064 * r - 0.33857 * g + 0.43922 * b;
    samples[color + 64] = 128.5 + 0.43922 * r - 0.39894 * g - 0.04027 * b;
  }
  return samples;
}

/** Frames as a track. They are drawn when they are read, so that a long film takes no memory. */
export function videoTrack(size: Size, frames: readonly Frame[]): Track {
  const { columns, rows } = gridOf(size);
  const all = Array.from({ length: columns * rows }, (_, block) => block);
  const key = unitOf(all.length, 0, all);
  let number = 0;
  const units = frames.map(({ paint, blocks }) => {
    number = blocks ? number + 1 : 0;
    const heads = blocks ? unitOf(all.length, number, blocks) : key;
    const byteLength = heads.reduce((sum, { length }) => sum + length, (heads.length - 1) * 384);
    return { paint, isKey: !blocks, blocks: blocks ?? all, heads, byteLength };
  });
  return {
    timescale: framesPerSecond * ticksPerFrame,
    ticksPerSample: ticksPerFrame,
    ticks: frames.length * ticksPerFrame,
    entry: h264Entry(size),
    sampleBytes: units.map(({ byteLength }) => 4 + byteLength),
    keys: units.flatMap(({ isKey }, index) => (isKey ? [index + 1] : [])),
    size,
    bytes: async function* () {
      for (const { paint, blocks, heads, byteLength } of units) {
        yield u32(byteLength);
        for (let at = 0; at < heads.length; at += columns) {
          const pieces = heads.slice(at, at + columns).flatMap((head, index) => {
            const block = blocks[at + index];
            return block === undefined ? [head] : [head, drawBlock(size, block, paint)];
          });
          yield Buffer.concat(pieces);
          // The event loop gets its turn.
          await new Promise(setImmediate);
        }
      }
    },
  };
}

/** H.264, each NAL unit after its length in four bytes, and its parameters (7.3.2.1 and 7.3.2.2). */
function h264Entry(size: Size) {
  const { columns, rows } = gridOf(size);
  const [right, bottom] = [(columns * 16 - size.width) / 2, (rows * 16 - size.height) / 2];
  const level = columns * rows <= 8192 ? 40 : 51;
  // 8 bits of picture number, pictures in the order they are shown, one reference.
  const head = ['011001110100001011000000', byte(level), '1', ue(4), ue(2), ue(1), '0'];
  // What of the last blocks is not shown, in pairs of pixels.
  const crop = ['1', ue(0), ue(right), ue(0), ue(bottom)];
  // BT.709 in limited range.
  const colors = ['100110101', byte(1), byte(1), byte(1), '0000001'];
  const sequence = bytesOf(...head, ue(columns - 1), ue(rows - 1), '11', ...crop, ...colors);
  // One slice group, one reference, CAVLC; the slice says that edges are not filtered.
  const picture = [0x68, 0xce, 0x3c, 0x80];
  const lead = [1, ...sequence.subarray(1, 4), 0xff, 0xe1, 0, sequence.length];
  const settings = Uint8Array.of(...lead, ...sequence, 1, 0, picture.length, ...picture);
  /** Square pixels at 72 dots an inch, as 16.16. */
  const dots = 72 * 65_536;
  const shown = [size.width * 65_536 + size.height, dots, dots, 0];
  const oneFrameUnnamed = `\0\x01${'\0'.repeat(32)}`;
  return box('avc1', 0, 1, 0, 0, 0, 0, ...shown, oneFrameUnnamed, 0x18ffff, box('avcC', settings));
}
