/** Reads PNG files a row at a time: every bit depth and color type, not interlaced. */
import { pipeline, Readable } from 'node:stream';
import { createInflate } from 'node:zlib';
import { MediaRefusal } from '../refusal.js';
import { bufferOf, pieces } from '../sources.js';
import type { ByteSource } from '../types.js';
import type { Picture } from './encode.js';

/** A picture whose rows are read from a file. */
export interface DecodedPicture extends Picture {
  rows(): AsyncIterable<Uint8Array>;
}

interface Header {
  readonly width: number;
  readonly height: number;
  readonly bitDepth: number;
  /** 0 gray, 2 RGB, 3 palette, 4 gray and alpha, 6 RGBA. */
  readonly colorType: number;
}

interface Layout extends Header {
  /** RGB of the palette's colors. */
  readonly palette: Uint8Array;
  /** What tRNS holds: alpha of the palette's colors, or the one color that is clear. */
  readonly clear: Uint8Array;
  readonly data: readonly Stretch[];
}

/** Where a chunk's data lies. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

const samplesByType: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
const mostChunkBytes = 1024;

/**
 * Opens a PNG file.
 * @throws MediaRefusal when it is damaged or interlaced; `rows` throws it where the data is bad
 */
export async function decodePng(source: ByteSource): Promise<DecodedPicture> {
  const layout = await readLayout(source);
  const { width, height, colorType, clear } = layout;
  const channels = colorType >= 4 || clear.length > 0 ? 4 : 3;
  return { width, height, channels, rows: () => readRows(source, layout, channels) };
}

async function readLayout(source: ByteSource): Promise<Layout> {
  let header: Header | undefined;
  let palette: Uint8Array = new Uint8Array(0);
  let clear: Uint8Array = new Uint8Array(0);
  const data: Stretch[] = [];
  for (let at = 8; at + 12 <= source.byteLength;) {
    const head = bufferOf(await source.read(at, 8));
    const from = at + 8;
    const to = from + head.readUInt32BE(0);
    const type = head.toString('latin1', 4, 8);
    if (type === 'IEND') break;
    const small = () => source.read(from, Math.min(mostChunkBytes, to - from));
    if (type === 'IHDR') header = readHeader(bufferOf(await small()));
    if (type === 'PLTE') palette = await small();
    if (type === 'tRNS') clear = await small();
    if (type === 'IDAT') data.push({ from, to });
    at = to + 4;
  }
  if (!header || data.length === 0) throw damaged();
  return { ...header, palette, clear, data };
}

function readHeader(data: Buffer): Header {
  if (data.length < 13) throw damaged();
  const [bitDepth, colorType, , , interlace] = data.subarray(8);
  const [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
  const fits = bitDepth !== undefined && [1, 2, 4, 8, 16].includes(bitDepth);
  if (!fits || colorType === undefined || !(colorType in samplesByType)) throw damaged();
  if (width === 0 || height === 0) throw damaged();
  if (interlace !== 0) {
    throw new MediaRefusal('source_unsupported', 'the PNG is interlaced, which is not read here');
  }
  return { width, height, bitDepth, colorType };
}

async function* readRows(
  source: ByteSource,
  layout: Layout,
  channels: 3 | 4,
): AsyncGenerator<Uint8Array> {
  const { width, height, bitDepth, colorType } = layout;
  const bitsPerPixel = bitDepth * (samplesByType[colorType] ?? 1);
  const rowBytes = Math.ceil((width * bitsPerPixel) / 8);
  const step = Math.max(1, bitsPerPixel >> 3);
  const row = new Uint8Array(width * channels);
  let above: Uint8Array = new Uint8Array(rowBytes);
  let left = height;
  for await (const line of lines(inflated(source, layout.data), rowBytes + 1)) {
    const bytes = line.subarray(1);
    unfilter(line[0] ?? 0, bytes, above, step);
    expand(bytes, row, layout, channels);
    yield row;
    above = bytes;
    if (--left === 0) return;
  }
  throw damaged();
}

async function* inflated(source: ByteSource, data: readonly Stretch[]): AsyncGenerator<Uint8Array> {
  const packed = async function* () {
    for (const { from, to } of data) yield* pieces(source, from, to);
  };
  const inflate = createInflate();
  // The loop below throws what goes wrong at either end.
  pipeline(Readable.from(packed(), { objectMode: false }), inflate, () => undefined);
  const bytes: AsyncIterable<Uint8Array> = inflate;
  try {
    yield* bytes;
  } catch {
    throw damaged();
  }
}

/** Cuts a stream into lines of one length. */
async function* lines(stream: AsyncIterable<Uint8Array>, length: number) {
  let rest: Uint8Array = new Uint8Array(0);
  for await (const piece of stream) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    let at = 0;
    for (; at + length <= bytes.length; at += length) yield bytes.subarray(at, at + length);
    rest = bytes.subarray(at);
  }
}

/** Undoes a row's filter in place. */
function unfilter(filter: number, row: Uint8Array, above: Uint8Array, step: number): void {
  for (let at = 0; at < row.length; at++) {
    const left = row[at - step] ?? 0;
    const up = above[at] ?? 0;
    const predicted = predict(filter, left, up, above[at - step] ?? 0);
    row[at] = (row[at] ?? 0) + predicted;
  }
}

function predict(filter: number, left: number, up: number, upLeft: number): number {
  switch (filter) {
    case 0:
      return 0;
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return (left + up) >> 1;
    case 4:
      return paeth(left, up, upLeft);
    default:
      throw damaged();
  }
}

function paeth(left: number, up: number, upLeft: number): number {
  const [toLeft, toUp] = [Math.abs(up - upLeft), Math.abs(left - upLeft)];
  const toUpLeft = Math.abs(left + up - 2 * upLeft);
  if (toLeft <= toUp && toLeft <= toUpLeft) return left;
  return toUp <= toUpLeft ? up : upLeft;
}

/** Turns a row of any kind into RGB or RGBA of 8 bits. */
function expand(bytes: Uint8Array, row: Uint8Array, layout: Layout, channels: 3 | 4): void {
  const { width, bitDepth, colorType, palette, clear } = layout;
  const samples = samplesByType[colorType] ?? 1;
  const raw = (index: number) => sampleAt(bytes, index, bitDepth);
  // 16 bits keep their upper half; fewer than 8 are spread over the whole range.
  const shade = bitDepth === 16 ? 1 / 257 : 255 / (2 ** bitDepth - 1);
  for (let x = 0; x < width; x++) {
    const first = x * samples;
    const at = x * channels;
    if (colorType === 3) {
      const color = raw(first);
      for (let channel = 0; channel < 3; channel++) {
        row[at + channel] = palette[color * 3 + channel] ?? 0;
      }
      if (channels === 4) row[at + 3] = clear[color] ?? 255;
      continue;
    }
    const gray = samples < 3;
    for (let channel = 0; channel < 3; channel++) {
      row[at + channel] = raw(gray ? first : first + channel) * shade;
    }
    if (channels === 3) continue;
    const alpha = colorType >= 4 ? raw(first + samples - 1) * shade : undefined;
    row[at + 3] = alpha ?? (isClear(raw, first, samples, clear) ? 0 : 255);
  }
}

function sampleAt(bytes: Uint8Array, index: number, bitDepth: number): number {
  if (bitDepth === 8) return bytes[index] ?? 0;
  if (bitDepth === 16) return ((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0);
  const bit = index * bitDepth;
  return ((bytes[bit >> 3] ?? 0) >> (8 - bitDepth - (bit & 7))) & (2 ** bitDepth - 1);
}

/** Whether a pixel without alpha has the one color that tRNS makes clear. */
function isClear(
  raw: (index: number) => number,
  first: number,
  samples: number,
  clear: Uint8Array,
): boolean {
  for (let sample = 0; sample < samples; sample++) {
    const value = ((clear[sample * 2] ?? 0) << 8) | (clear[sample * 2 + 1] ?? 0);
    if (raw(first + sample) !== value) return false;
  }
  return true;
}

function damaged(): MediaRefusal {
  return new MediaRefusal('source_unreadable', 'the PNG is damaged: its pixels cannot be read');
}
