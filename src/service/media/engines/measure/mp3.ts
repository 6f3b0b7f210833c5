/** Measures MP3 files: their frames are counted, for none of their heads can be relied on. */
import { bufferOf } from '../sources.js';
import type { ByteSource } from '../types.js';

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

/**
 * Counts the file's frames; undefined when it holds none in a row.
 * @param visit gets each frame that sounds
 */
export async function readMp3(
  source: ByteSource,
  visit: (frame: Mp3Frame) => void = () => undefined,
): Promise<Mp3File | undefined> {
  const view = new Window(source);
  const first = await firstFrame(view, await tagEnd(source));
  if (!first) return undefined;
  const { sampleRate, channels, samplesPerFrame } = first.head;
  // The first frame of many files is silent and only describes the others.
  let offset = first.offset + ((await describes(view, first)) ? first.head.byteLength : 0);
  let frameCount = 0;
  for (;;) {
    const head = frameHead(await view.at(offset, 4));
    if (head?.sampleRate !== sampleRate || offset + head.byteLength > source.byteLength) break;
    visit({ offset, byteLength: head.byteLength });
    frameCount++;
    offset += head.byteLength;
  }
  return frameCount > 0 ? { sampleRate, channels, samplesPerFrame, frameCount } : undefined;
}

/** Where the tag that may stand at the beginning ends. */
async function tagEnd(source: ByteSource): Promise<number> {
  const head = bufferOf(await source.read(0, 10));
  if (head.length < 10 || head.toString('latin1', 0, 3) !== 'ID3') return 0;
  const hasFooter = ((head[5] ?? 0) & 0x10) !== 0;
  const size = head.subarray(6, 10).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
  return 10 + size + (hasFooter ? 10 : 0);
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
