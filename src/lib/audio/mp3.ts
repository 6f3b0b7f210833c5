/** What stands around the frames of MP3 files, and of other sound that is tagged like it. */
import { exactly, type ByteSource } from './source.js';

const mpeg1Kbps = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const mpeg2Kbps = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const mpeg1Rates = [44_100, 48_000, 32_000];

export interface Mp3Frame {
  readonly byteLength: number;
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
  // Seven bits of each byte count, so that no tag looks like a frame.
  const size = head.subarray(6, 10).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
  return 10 + size + (hasFooter ? 10 : 0);
}

/**
 * Where the sound begins after the tags: past a first frame that is silent and tells the length of
 * the file, for after joining that length is wrong.
 */
export async function soundFrom(source: ByteSource, afterTags: number): Promise<number> {
  const bytes = await exactly(source, afterTags, 64);
  const frame = frameAt(bytes);
  return frame && framesTold(bytes, frame) !== undefined ? afterTags + frame.byteLength : afterTags;
}

/**
 * How many frames follow a silent first one that is there to tell it, 0 where it does not;
 * undefined for any other frame.
 */
export function framesTold(bytes: Buffer, { isMpeg1, isMono }: Mp3Frame): number | undefined {
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
    isMpeg1,
    isMono: ((word >>> 6) & 3) === 3,
  };
}
