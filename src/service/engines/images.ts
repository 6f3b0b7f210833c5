/** Images as they come inside a request: read, measured, never fetched. */
import { badRequest } from '../failure.js';
import type { Image } from './types.js';

/** Reads an image's address: a data URL is decoded, any other address is kept unfetched. */
export function imageFromUrl(url: string, param: string): Image {
  if (!/^data:/i.test(url)) {
    if (!/^https?:\/\//i.test(url)) {
      throw badRequest(`${param} is neither a data: URL nor an http(s) address`, param);
    }
    return { source: 'url', url };
  }
  const comma = url.indexOf(',');
  const head = url.slice('data:'.length, comma);
  if (comma < 0 || !/;base64$/i.test(head)) {
    throw badRequest(`${param} is a data: URL without base64 data`, param);
  }
  return imageFromBase64(head.split(';')[0] ?? '', url.slice(comma + 1), param);
}

/** Reads an image given as base64 beside its media type. */
export function imageFromBase64(mediaType: string, data: string, param: string): Image {
  if (!/^image\//i.test(mediaType)) {
    throw badRequest(`${param} has the media type "${mediaType}", which is no image`, param);
  }
  if (!isBase64(data)) {
    throw badRequest(`${param} holds data that is not base64`, param);
  }
  const bytes = Buffer.from(data, 'base64');
  return { source: 'data', mediaType: mediaType.toLowerCase(), bytes };
}

/** Whether a text has only base64 in it, and its padding only at the end; blanks do not count. */
function isBase64(data: string): boolean {
  const text = data.replace(/\s+/g, '');
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const end = text.length - padding;
  return end > 0 && !/[^A-Za-z0-9+/]/.test(text.slice(0, end));
}

/** One sentence on what came: kind, size in bytes, and pixels where they can be read. */
export function describeImage(image: Image): string {
  if (image.source === 'url') {
    return 'An image came as an address; the embedded service fetches nothing, so it was not looked at.';
  }
  const { bytes } = image;
  const measured = measure(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const size = `${bytes.length} ${bytes.length === 1 ? 'byte' : 'bytes'}`;
  if (!measured) return `An image came: ${image.mediaType}, ${size}; its pixels cannot be read.`;
  return `An image came: ${measured.kind}, ${size}, ${measured.width} × ${measured.height} pixels.`;
}

interface Measured {
  readonly kind: 'PNG' | 'JPEG' | 'GIF' | 'WebP';
  readonly width: number;
  readonly height: number;
}

/** Kind and pixels, from the first bytes of the file itself. */
export function measure(bytes: Buffer): Measured | undefined {
  const start = bytes.toString('latin1', 0, 16);
  if (start.startsWith('\x89PNG\r\n\x1a\n') && bytes.length >= 24) {
    return { kind: 'PNG', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  if (/^GIF8[79]a/.test(start) && bytes.length >= 10) {
    return { kind: 'GIF', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  }
  if (/^RIFF[^]{4}WEBP/.test(start) && bytes.length >= 30) return measureWebp(bytes);
  if (start.startsWith('\xff\xd8\xff')) return measureJpeg(bytes);
  return undefined;
}

function measureWebp(bytes: Buffer): Measured | undefined {
  const kind = 'WebP';
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { kind, width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { kind, width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
    }
    case 'VP8 ':
      return {
        kind,
        width: bytes.readUInt16LE(26) & 0x3fff,
        height: bytes.readUInt16LE(28) & 0x3fff,
      };
    default:
      return undefined;
  }
}

/** Walks the segments to the frame header. */
function measureJpeg(bytes: Buffer): Measured | undefined {
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes.readUInt8(at + 1);
    const isFrame =
      marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) {
      return {
        kind: 'JPEG',
        width: bytes.readUInt16BE(at + 7),
        height: bytes.readUInt16BE(at + 5),
      };
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
