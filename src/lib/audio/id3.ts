/** The tags before MP3 frames (ID3v2.3 and 2.4), as far as joining files needs them. */

interface Frame {
  readonly name: string;
  readonly content: Buffer;
  /** With its head, as it came. */
  readonly bytes: Buffer;
}

interface Tag {
  /** 3 or 4. */
  readonly version: number;
  readonly frames: readonly Frame[];
}

const headBytes = 10;

/**
 * One tag for files that are joined: that of the first, with the words (USLT) of all one after the
 * other and their lengths (TLEN) together. Where a piece has no words, the first tag as it came.
 * @param tags what stands before the frames of each file.
 */
export function mergedTag(tags: readonly Buffer[]): Buffer {
  const [first = Buffer.alloc(0)] = tags;
  const read = tags.map(readTag);
  const [lead] = read;
  const words = read.map((tag) => wordsIn(tag));
  if (!lead || words.includes(undefined)) return first;
  const lengths = read.map((tag) => lengthIn(tag));
  const total = lengths.reduce<number | undefined>(
    (sum, one) => (sum === undefined || one === undefined ? undefined : sum + one),
    0,
  );
  const { version } = lead;
  const kept = lead.frames.filter(({ name }) => name !== 'USLT' && name !== 'TLEN');
  return writeTag(version, [
    ...kept.map(({ bytes }) => bytes),
    ...(total === undefined ? [] : [frame(version, 'TLEN', lengthContent(version, total))]),
    frame(version, 'USLT', wordsContent(version, words.join(''))),
  ]);
}

/** Undefined for what is none of these, or is packed in a way that nobody uses. */
function readTag(bytes: Buffer): Tag | undefined {
  if (bytes.length < headBytes || bytes.toString('latin1', 0, 3) !== 'ID3') return undefined;
  const version = bytes[3] ?? 0;
  if ((version !== 3 && version !== 4) || bytes[5] !== 0) return undefined;
  const end = Math.min(bytes.length, headBytes + synchsafe(bytes, 6));
  const frames: Frame[] = [];
  for (let at = headBytes; at + headBytes <= end;) {
    const name = bytes.toString('latin1', at, at + 4);
    const from = at + headBytes;
    const to = from + (version === 4 ? synchsafe(bytes, at + 4) : bytes.readUInt32BE(at + 4));
    // Padding, or something that nobody knows.
    if (!/^[A-Z][A-Z0-9]{3}$/.test(name) || to > end) break;
    // The second byte of the flags tells of packing.
    if (bytes[at + 9] !== 0) return undefined;
    frames.push({ name, content: bytes.subarray(from, to), bytes: bytes.subarray(at, to) });
    at = to;
  }
  return { version, frames };
}

/** An encoding, three letters of a language, a title with its end, and the words. */
function wordsIn(tag: Tag | undefined): string | undefined {
  const content = tag?.frames.find(({ name }) => name === 'USLT')?.content;
  if (!content) return undefined;
  const encoding = content[0] ?? 0;
  const isWide = encoding === 1 || encoding === 2;
  for (let at = 4; at < content.length; at += isWide ? 2 : 1) {
    if (content[at] === 0 && (!isWide || content[at + 1] === 0)) {
      return textOf(encoding, content.subarray(at + (isWide ? 2 : 1)));
    }
  }
  return undefined;
}

function lengthIn(tag: Tag | undefined): number | undefined {
  const content = tag?.frames.find(({ name }) => name === 'TLEN')?.content;
  if (!content) return undefined;
  const text = textOf(content[0] ?? 0, content.subarray(1)).replace(/\0.*$/, '');
  return /^\d{1,12}$/.test(text) ? Number(text) : undefined;
}

function textOf(encoding: number, bytes: Buffer): string {
  switch (encoding) {
    case 1: {
      const isBigEndian = bytes[0] === 0xfe && bytes[1] === 0xff;
      const hasMark = isBigEndian || (bytes[0] === 0xff && bytes[1] === 0xfe);
      return utf16(hasMark ? bytes.subarray(2) : bytes, isBigEndian);
    }
    case 2:
      return utf16(bytes, true);
    case 3:
      return bytes.toString('utf8');
    default:
      return bytes.toString('latin1');
  }
}

function utf16(bytes: Buffer, isBigEndian: boolean): string {
  const even = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)));
  return (isBigEndian ? even.swap16() : even).toString('utf16le');
}

function lengthContent(version: number, milliseconds: number): Buffer {
  return Buffer.from(`${version === 4 ? '\x03' : '\0'}${String(milliseconds)}`);
}

/** UTF-8 came with version 4. */
function wordsContent(version: number, words: string): Buffer {
  return version === 4
    ? Buffer.from(`\x03und\0${words}`, 'utf8')
    : Buffer.concat([
        Buffer.from('\x01und\xff\xfe\0\0\xff\xfe', 'latin1'),
        Buffer.from(words, 'utf16le'),
      ]);
}

function frame(version: number, name: string, content: Buffer): Buffer {
  const length = Buffer.alloc(4);
  if (version === 4) toSynchsafe(content.length).copy(length);
  else length.writeUInt32BE(content.length);
  return Buffer.concat([Buffer.from(name, 'latin1'), length, Buffer.alloc(2), content]);
}

function writeTag(version: number, frames: readonly Buffer[]): Buffer {
  const content = Buffer.concat(frames);
  const head = Buffer.from(`ID3${String.fromCharCode(version)}\0\0`, 'latin1');
  return Buffer.concat([head, toSynchsafe(content.length), content]);
}

/** Four bytes of seven bits, so that no length can look like the head of a frame. */
function synchsafe(bytes: Buffer, at: number): number {
  return bytes.subarray(at, at + 4).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
}

function toSynchsafe(value: number): Buffer {
  return Buffer.from([21, 14, 7, 0].map((shift) => (value >> shift) & 0x7f));
}
