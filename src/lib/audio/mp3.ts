/** The frames of MP3 files, and the ID3v2 tags before them. */
import { exactly, type ByteSource, type SizedSource } from './source.js';

const mpeg1Kbps = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const mpeg2Kbps = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const mpeg1Rates = [44_100, 48_000, 32_000];

/** The end of the ID3v2 tags at the start; 0 without one. */
export async function tagEnd(source: ByteSource): Promise<number> {
  for (let at = 0; ;) {
    const bytes = tagBytes(await exactly(source, at, 10));
    if (bytes === 0) return at;
    at += bytes;
  }
}

export function tagBytes(head: Buffer): number {
  if (head.length < 10 || head.toString('latin1', 0, 3) !== 'ID3') return 0;
  const hasFooter = ((head[5] ?? 0) & 0x10) !== 0;
  return 10 + synchsafe(head, 6) + (hasFooter ? 10 : 0);
}

/** After a silent first frame, whose length is wrong after joining. */
export async function soundFrom(source: ByteSource, afterTags: number): Promise<number> {
  const bytes = await exactly(source, afterTags, 64);
  const frame = frameAt(bytes);
  return frame && frameCount(bytes, frame) !== undefined ? afterTags + frame.byteLength : afterTags;
}

/** The number of frames that a silent first one announces, or 0; undefined for other frames. */
export function frameCount(
  bytes: Buffer,
  { isMpeg1, isMono }: NonNullable<ReturnType<typeof frameAt>>,
): number | undefined {
  const at = 4 + (isMpeg1 ? (isMono ? 17 : 32) : isMono ? 9 : 17);
  if (bytes.length < 64) return undefined;
  if (bytes.toString('latin1', 36, 40) === 'VBRI') return bytes.readUInt32BE(50);
  if (!['Xing', 'Info'].includes(bytes.toString('latin1', at, at + 4))) return undefined;
  return bytes.readUInt32BE(at + 4) % 2 === 1 ? bytes.readUInt32BE(at + 8) : 0;
}

/** The MPEG audio frame, layer III, with this header; undefined for none. */
export function frameAt(bytes: Buffer) {
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
    samples,
    sampleRate,
    isMpeg1,
    isMono: ((word >>> 6) & 3) === 3,
  };
}

const windowBytes = 64 * 1024;
/** A file with more tags is malicious. */
const maxTags = 10_000;

/** The frames of a file, or of several joined, and the tags before them. */
export async function* mp3Pieces(source: SizedSource) {
  let sampleRate: number | undefined;
  let window: Buffer = Buffer.alloc(0);
  let windowFrom = 0;
  let offset = await soundFrom(source, 0);
  for (let tags = 0; tags < maxTags;) {
    if (offset + 10 > windowFrom + window.length) {
      window = await exactly(source, offset, windowBytes);
      windowFrom = offset;
    }
    const head = window.subarray(offset - windowFrom);
    const frame = frameAt(head);
    const byteLength = frame?.byteLength ?? tagBytes(head);
    const end = offset + byteLength;
    sampleRate ??= frame?.sampleRate;
    const isOther = frame && frame.sampleRate !== sampleRate;
    if (byteLength === 0 || end > source.length || isOther) return;
    yield { offset, byteLength, frame };
    tags += frame ? 0 : 1;
    offset = frame ? end : await soundFrom(source, end);
  }
}

/** The artist, text and length in an ID3v2.4 tag in UTF-8, and its other frames. */
export function tagFacts(tag: Buffer) {
  const others: Buffer[] = [];
  const texts = new Map<string, Buffer>();
  const isKnown = tag.toString('latin1', 0, 4) === 'ID3\x04' && tag[5] === 0;
  const end = isKnown ? Math.min(tag.length, 10 + synchsafe(tag, 6)) : 0;
  for (let at = 10; at + 10 <= end;) {
    const name = tag.toString('latin1', at, at + 4);
    const to = at + 10 + synchsafe(tag, at + 4);
    if (!/^[A-Z][A-Z0-9]{3}$/.test(name) || to > end) break;
    // The second byte of the flags marks a compressed frame, which is not read.
    if (tag[at + 9] !== 0) {
      texts.clear();
      break;
    }
    if (name !== 'TLEN' && name !== 'USLT') others.push(tag.subarray(at, to));
    if (tag[at + 10] === 3 && !texts.has(name)) texts.set(name, tag.subarray(at + 11, to));
    at = to;
  }
  const textIn = (name: string) => texts.get(name)?.toString('utf8').replace(/\0.*$/s, '');
  const length = textIn('TLEN') ?? '';
  const words = texts.get('USLT');
  return {
    others,
    software: textIn('TSSE'),
    // The text follows three letters of a language and a title with its terminator.
    words: words?.toString('utf8', words.indexOf(0, 3) + 1),
    milliseconds: /^\d{1,12}$/.test(length) ? Number(length) : undefined,
  };
}

/** The first with the text and length of all; unchanged where a piece has no text. */
export function mergedTag(tags: readonly Buffer[]): Buffer {
  const facts = tags.map(tagFacts);
  const words = facts.flatMap((one) => one.words ?? []);
  const [first = Buffer.alloc(0)] = tags;
  if (words.length < tags.length) return first;
  const milliseconds = facts.reduce((sum, one) => sum + (one.milliseconds ?? NaN), 0);
  return tagOf(facts[0]?.others ?? [], words.join(''), milliseconds);
}

export function tagOf(others: readonly Buffer[], words: string, milliseconds: number): Buffer {
  const length = Number.isNaN(milliseconds) ? [] : [tagFrame('TLEN', String(milliseconds))];
  const content = Buffer.concat([...others, ...length, tagFrame('USLT', `und\0${words}`)]);
  return Buffer.concat([Buffer.from('ID3\x04\0\0'), toSynchsafe(content.length), content]);
}

export function tagFrame(name: string, text: string): Buffer {
  const content = Buffer.from(`\x03${text}`);
  return Buffer.concat([Buffer.from(name), toSynchsafe(content.length), Buffer.alloc(2), content]);
}

/** Four bytes of seven bits, so that no length can look like a frame header. */
function synchsafe(bytes: Buffer, at: number): number {
  return bytes.subarray(at, at + 4).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
}

function toSynchsafe(value: number): Buffer {
  return Buffer.from([21, 14, 7, 0].map((shift) => (value >> shift) & 0x7f));
}
