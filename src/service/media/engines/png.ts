/** PNG files (ISO/IEC 15948): written a band of rows at a time, read by pngjs. */
import { pipeline, Readable } from 'node:stream';
import { crc32, createDeflate } from 'node:zlib';
import { PNG } from 'pngjs';
import { exactly, type SizedSource } from '../../../lib/audio/source.js';
import { ServiceFailure } from '../../failure.js';
import type { Paint, Size } from './types.js';

/** Rows are handed to the compressor in bands of about this many bytes. */
const bandBytes = 64 * 1024;

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
    const note = `${keyword}\0\0\0\0\0${text.replaceAll('\0', '\ufffd')}`;
    yield chunk('iTXt', Buffer.from(note, 'utf8'));
  }
  const deflate = createDeflate({ level: 6, chunkSize: bandBytes });
  // A fault at either end is thrown by the loop below.
  pipeline(Readable.from(bands(size, paint), { objectMode: false }), deflate, () => undefined);
  const pieces: AsyncIterable<Uint8Array> = deflate;
  for await (const piece of pieces) yield chunk('IDAT', piece);
  yield chunk('IEND', new Uint8Array(0));
}

/** Rows of a filter and pixels; filter 1 gives the difference to the pixel before. */
function* bands({ width, height }: Size, paint: Paint): Generator<Uint8Array> {
  const rowBytes = 1 + width * 4;
  const rowsAtOnce = Math.ceil(bandBytes / rowBytes);
  const row = new Uint8ClampedArray(width * 4);
  for (let top = 0; top < height; top += rowsAtOnce) {
    const rows = Math.min(rowsAtOnce, height - top);
    const band = new Uint8Array(rows * rowBytes);
    for (let y = 0; y < rows; y++) {
      for (let x = 0; x < width; x++) {
        const [red, green, blue, alpha = 255] = paint(x + 0.5, top + y + 0.5);
        row.set([red, green, blue, alpha], x * 4);
      }
      const from = y * rowBytes;
      band[from] = 1;
      row.forEach((value, at) => (band[from + 1 + at] = value - (row[at - 4] ?? 0)));
    }
    yield band;
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
  return (x, y) => {
    const across = between(x * (width / to.width), width);
    const down = between(y * (height / to.height), height);
    const channel = (index: number) => {
      const row = (top: number) => {
        const color = (left: number) => data[(top * width + left) * 4 + index] ?? 0;
        return color(across.first) * (1 - across.part) + color(across.second) * across.part;
      };
      return row(down.first) * (1 - down.part) + row(down.second) * down.part;
    };
    return [channel(0), channel(1), channel(2), channel(3)];
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

/** The two pixels that a place lies between, and how far it is to the second. */
function between(place: number, length: number) {
  const exact = Math.max(0, place - 0.5);
  const first = Math.floor(exact);
  return { first, second: Math.min(length - 1, first + 1), part: exact - first };
}
