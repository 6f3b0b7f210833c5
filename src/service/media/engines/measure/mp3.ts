/** Measures MP3 files: their frames are counted, for none of their heads can be relied on. */
import { bufferOf } from '../sources.js';
import type { ByteSource } from '../types.js';
import { tagBytes } from './id3.js';

/** A frame of MPEG audio, layer III. */
export interface Mp3Frame {
  readonly offset: number;
  readonly byteLength: number;
}

export interface Mp3File {
  readonly sampleRate: number;
  readonly channels: 1 | 2;
  readonly samplesPerFrame: number;
  readonly frameCount: number;
  /** One where nothing was joined. */
  readonly parts: readonly Mp3Part[];
}

/** What one of several joined files was: a tag may stand before its frames. */
export interface Mp3Part {
  readonly tag?: { readonly offset: number; readonly byteLength: number };
  readonly frameCount: number;
}

interface FrameHead {
  readonly byteLength: number;
  readonly sampleRate: number;
  readonly channels: 1 | 2;
  readonly samplesPerFrame: number;
  readonly isMpeg1: boolean;
}

interface FirstFrame {
  readonly offset: number;
  readonly head: FrameHead;
}

const mpeg1Kbps = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const mpeg2Kbps = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const mpeg1Rates = [44_100, 48_000, 32_000];
const windowBytes = 64 * 1024;
/** How far the first frame is looked for. */
const mostLead = 256 * 1024;
/** A file of more tags was made to keep its reader busy. */
const mostParts = 10_000;
const tagHeadBytes = 10;
/** Of the tag that stands behind the frames of older files, or of each that were joined. */
const oldTagBytes = 128;

/**
 * Counts the file's frames; undefined when it holds none in a row. Files that were joined, one
 * after the other with their tags, are one.
 * @param visit gets each frame that sounds
 */
export async function readMp3(
  source: ByteSource,
  visit: (frame: Mp3Frame) => void = () => undefined,
): Promise<Mp3File | undefined> {
  const view = new Window(source);
  const lead = tagBytes(await view.at(0, tagHeadBytes));
  const first = await firstFrame(view, lead);
  if (!first) return undefined;
  const { sampleRate, channels, samplesPerFrame } = first.head;
  const parts: Mp3Part[] = [];
  let part: Mp3Part = partAfter(0, lead);
  let offset = await afterDescription(view, first);
  while (parts.length < mostParts) {
    const tag = tagBytes(await view.at(offset, tagHeadBytes));
    const head = tag > 0 ? undefined : frameHead(await view.at(offset, 4));
    if (tag > 0) {
      parts.push(part);
      part = partAfter(offset, tag);
      const next = frameHead(await view.at(offset + tag, 4));
      const begin = { offset: offset + tag, head: next ?? first.head };
      offset = next ? await afterDescription(view, begin) : begin.offset;
    } else if (head?.sampleRate === sampleRate && offset + head.byteLength <= source.byteLength) {
      visit({ offset, byteLength: head.byteLength });
      part = { ...part, frameCount: part.frameCount + 1 };
      offset += head.byteLength;
    } else if ((await view.at(offset, 3)).toString('latin1') === 'TAG') {
      offset += oldTagBytes;
    } else break;
  }
  parts.push(part);
  const frameCount = parts.reduce((sum, { frameCount }) => sum + frameCount, 0);
  return frameCount > 0 ? { sampleRate, channels, samplesPerFrame, frameCount, parts } : undefined;
}

function partAfter(offset: number, byteLength: number): Mp3Part {
  return { ...(byteLength > 0 ? { tag: { offset, byteLength } } : {}), frameCount: 0 };
}

/** The first frame of many files is silent and only describes the others. */
async function afterDescription(view: Window, first: FirstFrame): Promise<number> {
  return first.offset + ((await describes(view, first)) ? first.head.byteLength : 0);
}

/** The first frame that another of its kind follows, or that ends the file. */
async function firstFrame(view: Window, from: number): Promise<FirstFrame | undefined> {
  for (let offset = from; offset < from + mostLead; offset++) {
    const bytes = await view.at(offset, 4);
    if (bytes.length < 4) return undefined;
    const head = frameHead(bytes);
    if (!head) continue;
    const next = offset + head.byteLength;
    if (next === view.byteLength) return { offset, head };
    if (frameHead(await view.at(next, 4))?.sampleRate === head.sampleRate) return { offset, head };
  }
  return undefined;
}

/** The head of a frame of layer III; undefined when the bytes are none. */
function frameHead(bytes: Buffer): FrameHead | undefined {
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
  const samplesPerFrame = isMpeg1 ? 1152 : 576;
  const padding = (word >>> 9) & 1;
  return {
    byteLength: Math.floor((samplesPerFrame * kbps * 125) / sampleRate) + padding,
    sampleRate,
    channels: ((word >>> 6) & 3) === 3 ? 1 : 2,
    samplesPerFrame,
    isMpeg1,
  };
}

async function describes(view: Window, { offset, head }: FirstFrame): Promise<boolean> {
  const side = head.isMpeg1 ? (head.channels === 1 ? 17 : 32) : head.channels === 1 ? 9 : 17;
  const mark = (await view.at(offset + 4 + side, 4)).toString('latin1');
  const other = (await view.at(offset + 36, 4)).toString('latin1');
  return mark === 'Xing' || mark === 'Info' || other === 'VBRI';
}

/** Reads small pieces out of large ones. */
class Window {
  private from = 0;
  private bytes: Buffer = Buffer.alloc(0);

  constructor(private readonly source: ByteSource) {}

  get byteLength(): number {
    return this.source.byteLength;
  }

  async at(offset: number, length: number): Promise<Buffer> {
    if (offset < this.from || offset + length > this.from + this.bytes.length) {
      this.from = offset;
      this.bytes = bufferOf(await this.source.read(offset, windowBytes));
    }
    return this.bytes.subarray(offset - this.from, offset - this.from + length);
  }
}
