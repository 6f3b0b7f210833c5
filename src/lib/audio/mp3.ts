/** What stands around the frames of MP3 files (ID3v2.3 and 2.4), and of other sound tagged like it. */
import { exactly, type ByteSource } from './source.js';

const mpeg1Kbps = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const mpeg2Kbps = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const mpeg1Rates = [44_100, 48_000, 32_000];

export interface Mp3Frame {
  readonly byteLength: number;
  readonly sampleRate: number;
  readonly isMpeg1: boolean;
  readonly isMono: boolean;
}

/** Where the ID3v2 tags at the beginning end; 0 without one. */
export async function tagEnd(source: ByteSource): Promise<number> {
  for (let at = 0; ;) {
    const bytes = tagBytes(await exactly(source, at, 10));
    if (bytes === 0) return at;
    at += bytes;
  }
}

/** How long the ID3v2 tag is that begins with these bytes; 0 when they begin none. */
export function tagBytes(head: Buffer): number {
  if (head.length < 10 || head.toString('latin1', 0, 3) !== 'ID3') return 0;
  const hasFooter = ((head[5] ?? 0) & 0x10) !== 0;
  return 10 + synchsafe(head, 6) + (hasFooter ? 10 : 0);
}

/**
 * Where the sound begins after the tags: past a first frame that is silent and tells the length of
 * the file, for after joining that length is wrong.
 */
export async function soundFrom(source: ByteSource, afterTags: number): Promise<number> {
  const bytes = await exactly(source, afterTags, 64);
  const frame = frameAt(bytes);
  return frame && frameCount(bytes, frame) !== undefined ? afterTags + frame.byteLength : afterTags;
}

/**
 * How many frames follow a silent first one that is there to tell it, 0 where it does not;
 * undefined for any other frame.
 */
export function frameCount(bytes: Buffer, { isMpeg1, isMono }: Mp3Frame): number | undefined {
  const at = 4 + (isMpeg1 ? (isMono ? 17 : 32) : isMono ? 9 : 17);
  if (bytes.length < 64) return undefined;
  if (bytes.toString('latin1', 36, 40) === 'VBRI') return bytes.readUInt32BE(50);
  if (!['Xing', 'Info'].includes(bytes.toString('latin1', at, at + 4))) return undefined;
  return bytes.readUInt32BE(at + 4) % 2 === 1 ? bytes.readUInt32BE(at + 8) : 0;
}

/** The frame of MPEG audio, layer III, whose head these bytes begin with; undefined when none. */
export function frameAt(bytes: Buffer): Mp3Frame | undefined {
  if (bytes.length < 4) return undefined;
  const word = bytes.readUInt32BE(0);
  const version = (word >>> 19) & 3;
  const isLayer3 = ((word >>> 17) & 3) === 1;
  if (word >>> 21 !== 0x7ff || version === 1 || !isLayer3) return undefined;
  const isMpeg1 = version === 3;
  const kbps = (isMpeg1 ? mpeg1Kbps : mpeg2Kbps)[(word >>> 12) & 15] ?? 0;
  const base = mpeg1Rates[(word >>> 10) & 3];
  if (kbps === 0 || base === undefined) return undefined;
  const sampleRate = base / (isMpeg1 ? 1 : version === 2 ? 2 : 4);
  const samples = isMpeg1 ? 1152 : 576;
  return {
    byteLength: Math.floor((samples * kbps * 125) / sampleRate) + ((word >>> 9) & 1),
    sampleRate,
    isMpeg1,
    isMono: ((word >>> 6) & 3) === 3,
  };
}

interface Tag {
  /** 3 or 4. */
  readonly version: number;
  /** What each holds, and all of it as it came. */
  readonly frames: { readonly name: string; readonly content: Buffer; readonly bytes: Buffer }[];
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
  // One that is not known makes it no number.
  const total = lengths.reduce((sum, one) => sum + one, 0);
  const { version } = lead;
  const kept = lead.frames.filter(({ name }) => name !== 'USLT' && name !== 'TLEN');
  return writeTag(version, [
    ...kept.map(({ bytes }) => bytes),
    ...(Number.isNaN(total) ? [] : [tagFrame(version, 'TLEN', lengthContent(version, total))]),
    tagFrame(version, 'USLT', wordsContent(version, words.join(''))),
  ]);
}

/** Undefined for what is none of these, or is packed in a way that nobody uses. */
function readTag(bytes: Buffer): Tag | undefined {
  if (bytes.length < headBytes || bytes.toString('latin1', 0, 3) !== 'ID3') return undefined;
  const version = bytes[3] ?? 0;
  if ((version !== 3 && version !== 4) || bytes[5] !== 0) return undefined;
  const end = Math.min(bytes.length, headBytes + synchsafe(bytes, 6));
  const frames: Tag['frames'] = [];
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

function textIn(tag: Tag | undefined, name: string): string | undefined {
  const content = tag?.frames.find((frame) => frame.name === name)?.content;
  return content && textOf(content[0] ?? 0, content.subarray(1)).replace(/\0.*$/, '');
}

/** NaN where the tag does not tell. */
function lengthIn(tag: Tag | undefined): number {
  const text = textIn(tag, 'TLEN') ?? '';
  return /^\d{1,12}$/.test(text) ? Number(text) : NaN;
}

/** What a tag tells of its file: who made it, what it says, how long it is. */
export function tagFacts(bytes: Buffer) {
  const tag = readTag(bytes);
  const length = lengthIn(tag);
  const milliseconds = Number.isNaN(length) ? undefined : length;
  return { software: textIn(tag, 'TSSE'), words: wordsIn(tag), milliseconds };
}

/** The tag that tells these of a file. */
export function tagOf(software: string, words: string, milliseconds: number): Buffer {
  return writeTag(4, [
    tagFrame(4, 'TSSE', Buffer.from(`\x03${software}`)),
    tagFrame(4, 'TLEN', lengthContent(4, milliseconds)),
    tagFrame(4, 'USLT', wordsContent(4, words)),
  ]);
}

function textOf(encoding: number, bytes: Buffer): string {
  if (encoding !== 1 && encoding !== 2) return bytes.toString(encoding === 3 ? 'utf8' : 'latin1');
  const mark = encoding === 1 ? bytes.toString('latin1', 0, 2) : '';
  const isBigEndian = encoding === 2 || mark === '\xfe\xff';
  const text = bytes.subarray(mark === '\xfe\xff' || mark === '\xff\xfe' ? 2 : 0);
  const even = Buffer.from(text.subarray(0, text.length - (text.length % 2)));
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

function tagFrame(version: number, name: string, content: Buffer): Buffer {
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
