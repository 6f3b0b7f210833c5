/** Writes PNG files (ISO/IEC 15948): RGB or RGBA, 8 bits a channel, a band of rows at a time. */
import { pipeline, Readable } from 'node:stream';
import { crc32, createDeflate } from 'node:zlib';

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
/** Rows are handed to the compressor in bands of about this many bytes. */
const bandBytes = 64 * 1024;
/** Each row tells the difference to the row above it: skies fade downwards. */
const filterUp = 2;

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** 3 is RGB; 4 is RGBA, its alpha not multiplied in. */
  readonly channels: 3 | 4;
  /** The rows from the top down, a byte a channel. A row may be written over after its turn. */
  rows(): Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/**
 * The bytes of a PNG file.
 * @param texts notes by keyword (Latin letters, at most 79); NULs in them become U+FFFD
 */
export async function* encodePng(
  picture: Picture,
  texts: Readonly<Record<string, string>> = {},
): AsyncGenerator<Uint8Array> {
  yield signature;
  yield chunk('IHDR', header(picture));
  for (const [keyword, text] of Object.entries(texts)) yield chunk('iTXt', note(keyword, text));
  yield* compressed(picture);
  yield chunk('IEND', new Uint8Array(0));
}

async function* compressed(picture: Picture): AsyncGenerator<Uint8Array> {
  const deflate = createDeflate({ level: 6, chunkSize: bandBytes });
  // A fault at either end is thrown by the loop below, so nobody else need hear of it.
  pipeline(Readable.from(bands(picture), { objectMode: false }), deflate, () => undefined);
  const pieces: AsyncIterable<Uint8Array> = deflate;
  for await (const piece of pieces) yield chunk('IDAT', piece);
}

async function* bands(picture: Picture): AsyncGenerator<Uint8Array> {
  const rowBytes = picture.width * picture.channels;
  const rowsInBand = Math.max(1, Math.floor(bandBytes / rowBytes));
  const above = new Uint8Array(rowBytes);
  let band = new Uint8Array(rowsInBand * (rowBytes + 1));
  let at = 0;
  for await (const row of picture.rows()) {
    band[at++] = filterUp;
    for (let index = 0; index < rowBytes; index++) {
      const value = row[index] ?? 0;
      band[at++] = value - (above[index] ?? 0);
      above[index] = value;
    }
    if (at === band.length) {
      yield band;
      // The compressor still reads the old one.
      band = new Uint8Array(band.length);
      at = 0;
    }
  }
  if (at > 0) yield band.subarray(0, at);
}

function header({ width, height, channels }: Picture): Uint8Array {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  // Bit depth, RGB or RGBA, deflate, the five filters, not interlaced.
  data.set([8, channels === 3 ? 2 : 6, 0, 0, 0], 8);
  return data;
}

/** Keyword, NUL, not compressed, no language, no translated keyword, UTF-8. */
function note(keyword: string, text: string): Uint8Array {
  return Buffer.from(`${keyword}\0\0\0\0\0${text.replaceAll('\0', '\ufffd')}`, 'utf8');
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(data.length + 12);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  bytes.set(data, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, data.length + 8)), data.length + 8);
  return bytes;
}
