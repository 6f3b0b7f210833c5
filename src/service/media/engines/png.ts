/** PNG files (ISO/IEC 15948): written as they are drawn, read by pngjs. */
import { pipeline, Readable } from 'node:stream';
import { crc32, createDeflate } from 'node:zlib';
import { PNG } from 'pngjs';
import { exactly, type SizedSource } from '../../../lib/audio/source.js';
import { ServiceFailure } from '../../failure.js';
import { mix } from './canvas.js';
import type { Color, Paint, Size } from './define.js';

/** The bytes of a PNG file; `texts` are notes by keyword, whose NULs become U+FFFD. */
export async function* encodePng(
  size: Size,
  paint: Paint,
  texts: Readonly<Record<string, string>>,
): AsyncGenerator<Uint8Array> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size.width, 0);
  header.writeUInt32BE(size.height, 4);
  // Bit depth, RGBA, deflate, the five filters, not interlaced.
  header.set([8, 6, 0, 0, 0], 8);
  yield Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  yield chunk('IHDR', header);
  for (const [keyword, text] of Object.entries(texts)) {
    // Keyword, NUL, not compressed, no language, no translated keyword, UTF-8.
    yield chunk('iTXt', Buffer.from(`${keyword}\0\0\0\0\0${text.replaceAll('\0', '\ufffd')}`));
  }
  const deflate = createDeflate({ chunkSize: 64 * 1024 });
  // A fault at either end is thrown by the loop below.
  pipeline(Readable.from(rows(size, paint), { objectMode: false }), deflate, () => undefined);
  const pieces: AsyncIterable<Uint8Array> = deflate;
  for await (const piece of pieces) yield chunk('IDAT', piece);
  yield chunk('IEND', new Uint8Array(0));
}

/** Rows of a filter and pixels; filter 1 gives the difference to the pixel before. */
function* rows({ width, height }: Size, paint: Paint): Generator<Uint8Array> {
  const pixels = new Uint8ClampedArray(width * 4);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) pixels.set(paint(x + 0.5, y + 0.5), x * 4);
    const row = new Uint8Array(1 + pixels.length);
    row[0] = 1;
    pixels.forEach((value, at) => (row[1 + at] = value - (pixels[at - 4] ?? 0)));
    yield row;
  }
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(data.length + 12);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  bytes.set(data, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, data.length + 8)), data.length + 8);
  return bytes;
}

/** A PNG at another size: each pixel is a mean of the four nearest, by how near they are. */
export async function readScaled(source: SizedSource, to: Size): Promise<Paint> {
  const { width, height, data } = decode(await exactly(source, 0, source.length));
  const colorAt = (x: number, y: number): Color => {
    const at = (Math.min(height - 1, y) * width + Math.min(width - 1, x)) * 4;
    const channel = (index: number) => data[at + index] ?? 0;
    return [channel(0), channel(1), channel(2), channel(3)];
  };
  return (x, y) => {
    const across = Math.max(0, x * (width / to.width) - 0.5);
    const down = Math.max(0, y * (height / to.height) - 0.5);
    const [left, top] = [Math.floor(across), Math.floor(down)];
    const row = (y: number) => mix(colorAt(left, y), colorAt(left + 1, y), across - left);
    return mix(row(top), row(top + 1), down - top);
  };
}

function decode(bytes: Buffer): PNG {
  try {
    return PNG.sync.read(bytes);
  } catch {
    const message = 'the PNG is damaged: its pixels cannot be read';
    throw new ServiceFailure(422, 'source_unreadable', message);
  }
}
