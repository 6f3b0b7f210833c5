/** Whether a file is complete, by the length, the parts or the end that its format defines. */
import { frameAt, frameCount, tagBytes } from './audio/mp3.js';
import { pageBytes } from './audio/ogg.js';
import { fileKindOf, kindBytes } from './file-kind.js';

interface Format {
  /** The length of the part that starts so; NaN for none, Infinity when only its end shows it. */
  next(head: Buffer): number;
  /** Whether the file may end here. @param tail its last bytes. */
  ends(tail: Buffer): boolean;
  readonly tailBytes?: number;
}

export class FileEnd {
  #tail: Buffer = Buffer.alloc(0);
  #length = 0;
  #next = 0;
  #format: Format | undefined;

  take(piece: Buffer): void {
    const tailBytes = this.#format?.tailBytes ?? kindBytes;
    this.#length += piece.length;
    // Of a piece within a part only the end is copied.
    const bytes = this.#next < this.#length ? piece : piece.subarray(-tailBytes);
    this.#tail = Buffer.concat([this.#tail, bytes]);
    this.#walk(kindBytes);
    this.#tail = this.#tail.subarray(-(this.#format?.tailBytes ?? kindBytes));
  }

  get isWhole(): boolean {
    this.#walk(1, Buffer.concat([this.#tail, Buffer.alloc(kindBytes)]));
    const isAtEnd = this.#next === this.#length || this.#next === Infinity;
    return isAtEnd && this.#format?.ends(this.#tail) === true;
  }

  /** @param leastBytes of a part before it is read. @param bytes the tail and its padding. */
  #walk(leastBytes: number, bytes = this.#tail): void {
    while (this.#next + leastBytes <= this.#length) {
      const at = this.#next - (this.#length - this.#tail.length);
      const head = bytes.subarray(at, at + kindBytes);
      this.#format ??= formats[fileKindOf(head)?.mediaType ?? '']?.() ?? unknown;
      const length = this.#format.next(head);
      this.#next += length > 0 ? length : NaN;
    }
  }
}

const unknown: Format = { next: () => NaN, ends: () => false };

const formats: Readonly<Record<string, () => Format>> = {
  'audio/flac': flac,
  'audio/mp4': mp4,
  'audio/mpeg': mp3,
  'audio/ogg': ogg,
  'audio/opus': ogg,
  'audio/wav': () => stated(4, 8),
  'image/avif': mp4,
  'image/gif': gif,
  'image/heic': mp4,
  'image/jpeg': jpeg,
  // A chunk with its checksum, which occurs nowhere within a picture.
  'image/png': () => ({ next: () => Infinity, ends: endsIn('\0\0\0\0IEND\xaeB`\x82') }),
  'image/webp': () => stated(4, 8),
  'model/gltf-binary': () => stated(8, 0),
  'video/mp4': mp4,
  'video/ogg': ogg,
  'video/quicktime': mp4,
};

function endsIn(end: string) {
  return (tail: Buffer) => tail.toString('latin1').endsWith(end);
}

/** The header contains the length. @param more bytes that are not counted. */
function stated(at: number, more: number): Format {
  let parts = 0;
  const next = (head: Buffer) => (parts++ === 0 ? head.readUInt32LE(at) + more : NaN);
  return { next, ends: () => true };
}

/** The end marker occurs nowhere within the image data, but may occur in earlier segments. */
function jpeg(): Format {
  let marker = 0;
  const next = (head: Buffer) => {
    marker = head.readUInt16BE(0);
    if (marker === 0xffda) return Infinity;
    if (marker < 0xff00) return NaN;
    return marker === 0xffd8 ? 2 : 2 + head.readUInt16BE(2);
  };
  return { next, ends: (tail) => marker === 0xffda && endsIn('\xff\xd9')(tail) };
}

/** Blocks, some with data in pieces, and a last one of a single byte. */
function gif(): Format {
  let isData = false;
  let isClosed = false;
  const table = (flags = 0) => (flags & 0x80 ? 6 << (flags & 7) : 0);
  const next = (head: Buffer) => {
    const [first = 0] = head;
    const isPiece = isData;
    isData = isPiece ? first !== 0 : first === 0x21 || first === 0x2c;
    if (isPiece) return 1 + first;
    isClosed = first === 0x3b;
    if (first === 0x47) return 13 + table(head[10]);
    if (first === 0x2c) return 11 + table(head[9]);
    return { 0x3b: 1, 0x21: 2 }[first] ?? NaN;
  };
  return { next, ends: () => isClosed };
}

/** A fragmented film is complete only with the index after its fragments. */
function mp4(): Format {
  const seen = new Set<string>();
  let last = '';
  const next = (head: Buffer) => {
    last = head.toString('latin1', 4, 8);
    if (/^(?:moov|meta|mdat|moof)$/.test(last)) seen.add(last);
    const bytes = head.readUInt32BE(0);
    if (bytes === 1) return Number(head.readBigUInt64BE(8));
    return bytes >= 8 ? bytes : NaN;
  };
  const isIndexed = () => seen.has('mdat') && (seen.has('moov') || seen.has('meta'));
  return { next, ends: () => isIndexed() && (!seen.has('moof') || last === 'mfra') };
}

/** Each of its streams has a first page and a last page. */
function ogg(): Format {
  let open = 0;
  const next = (head: Buffer) => {
    const flags = head[5] ?? 0;
    open += ((flags >> 1) & 1) - ((flags >> 2) & 1);
    return pageBytes(head);
  };
  return { next, ends: () => open === 0 };
}

/** Frames, of which a silent first one may give the number, and tags around them. */
function mp3(): Format {
  let frames = -1;
  let announced: number | undefined;
  const next = (head: Buffer) => {
    const frame = frameAt(head);
    if (!frame) return tagBytes(head) || (head.toString('latin1', 0, 3) === 'TAG' ? 128 : NaN);
    if (frames < 0) announced = frameCount(head, frame);
    frames = frames < 0 && announced === undefined ? 1 : frames + 1;
    return frame.byteLength;
  };
  return { next, ends: () => frames >= Math.max(1, announced ?? 1) };
}

/** FLAC (RFC 9639) ends with the last of the samples that its header announces. */
function flac(): Format {
  let samples = 0;
  let usual = 0;
  const next = (head: Buffer) => {
    samples = ((head[21] ?? 0) & 15) * 2 ** 32 + head.readUInt32BE(22);
    usual = head.readUInt16BE(10);
    return Infinity;
  };
  const ends = (tail: Buffer) => {
    for (let at = tail.lastIndexOf(0xff); samples > 0 && at > 0;) {
      const frame = tail.subarray(at);
      if (lastSample(frame, usual) === samples && crc16(frame) === 0) return true;
      at = tail.lastIndexOf(0xff, at - 1);
    }
    return false;
  };
  return { next, ends, tailBytes: 256 * 1024 };
}

/** Samples up to the end of a frame, `usual` each where frames are counted; undefined for none. */
function lastSample(frame: Buffer, usual: number): number | undefined {
  const [, second = 0, third = 0, , first = 0] = frame;
  if ((second & 0xfe) !== 0xf8) return undefined;
  const ones = Math.clz32(~(first << 24));
  const more = frame.subarray(5, 4 + Math.max(1, ones));
  const number = more.reduce((sum, byte) => sum * 64 + (byte & 63), first & (0x7f >> ones));
  const [one = 0, two = 0] = frame.subarray(5 + more.length);
  const sizes = [0, 192, 576, 1152, 2304, 4608, one + 1, one * 256 + two + 1];
  return (second & 1 ? number : number * usual) + (sizes[third >> 4] ?? 1 << (third >> 4));
}

function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++)
      crc = crc & 0x8000 ? ((crc << 1) ^ 0x8005) & 0xffff : crc << 1;
  }
  return crc;
}
