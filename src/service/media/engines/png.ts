/** PNG files (ISO/IEC 15948): written a band of rows at a time, read by pngjs. */
import { exactly, type SizedSource } from '../../../lib/audio/source.js';
import { pipeline, Readable } from 'node:stream';
import { crc32, createDeflate } from 'node:zlib';
import { PNG } from 'pngjs';
import { MediaRefusal, type Size } from './types.js';

/** Rows are handed to the compressor in bands of about this many bytes. */
const bandBytes = 64 * 1024;
/** Each row tells the difference to the row above it. */
const filterUp = 2;

interface Picture extends Size {
  /** 3 is RGB; 4 is RGBA, its alpha not multiplied in. */
  readonly channels: 3 | 4;
  /** The rows from the top down, a byte a channel. A row may be written over after its turn. */
  rows(): Iterable<Uint8Array>;
}

/**
 * The bytes of a PNG file.
 * @param texts notes by keyword (Latin letters, at most 79); NULs in them become U+FFFD
 */
export async function* encodePng(
  picture: Picture,
  texts: Readonly<Record<string, string>>,
): AsyncGenerator<Uint8Array> {
  const { width, height, channels } = picture;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Bit depth, RGB or RGBA, deflate, the five filters, not interlaced.
  header.set([8, channels === 3 ? 2 : 6, 0, 0, 0], 8);
  yield Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  yield chunk('IHDR', header);
  for (const [keyword, text] of Object.entries(texts)) {
    // Keyword, NUL, not compressed, no language, no translated keyword, UTF-8.
    const note = `${keyword}\0\0\0\0\0${text.replaceAll('\0', '\ufffd')}`;
    yield chunk('iTXt', Buffer.from(note, 'utf8'));
  }
  const deflate = createDeflate({ level: 6, chunkSize: bandBytes });
  // A fault at either end is thrown by the loop below, so nobody else need hear of it.
  pipeline(Readable.from(bands(picture), { objectMode: false }), deflate, () => undefined);
  const pieces: AsyncIterable<Uint8Array> = deflate;
  for await (const piece of pieces) yield chunk('IDAT', piece);
  yield chunk('IEND', new Uint8Array(0));
}

function* bands(picture: Picture): Generator<Uint8Array> {
  const above = new Uint8Array(picture.width * picture.channels);
  let lines: Uint8Array[] = [];
  for (const row of picture.rows()) {
    const line = new Uint8Array(1 + row.length);
    line[0] = filterUp;
    for (let at = 0; at < row.length; at++) line[at + 1] = (row[at] ?? 0) - (above[at] ?? 0);
    above.set(row);
    lines.push(line);
    if (lines.length * line.length < bandBytes) continue;
    yield Buffer.concat(lines);
    lines = [];
  }
  yield Buffer.concat(lines);
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const bytes = Buffer.alloc(data.length + 12);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  bytes.set(data, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, data.length + 8)), data.length + 8);
  return bytes;
}

/** A picture as RGBA, four bytes a pixel. */
export interface Pixels extends Size {
  readonly data: Uint8Array;
}

/** @throws MediaRefusal when it is damaged */
export async function decodePng(source: SizedSource): Promise<Pixels> {
  const bytes = await exactly(source, 0, source.length);
  try {
    return PNG.sync.read(bytes);
  } catch {
    const message = 'the PNG is damaged: its pixels cannot be read';
    throw new MediaRefusal('source_unreadable', message);
  }
}
