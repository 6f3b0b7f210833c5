/** MP3 files: written with the words in a tag, and counted frame by frame. */
import { exactly, type SizedSource } from '../../../lib/audio/source.js';
import { frameAt, soundFrom, tagBytes, tagOf } from '../../../lib/audio/mp3.js';
import { voiceSoftware } from './types.js';
import type { Sound } from './wav.js';

/** Left to itself the encoder would choose a lower rate for what comes out. */
const rates = { sampleRate: 24_000, outputSampleRate: 24_000 } as const;
/** Enough for one voice; a hundred thousand characters stay below what transcription takes. */
const kbps = 32;
/**
 * After this many samples, which take some 10 ms, the event loop gets its turn: two pieces may be
 * made at once, on a machine that has more to do, and a Ctrl-C is to be heard within 200 ms.
 */
const samplesBetweenTurns = 1 << 14;
const headBytes = 10;

/** The bytes of an MP3 file of one voice: a tag with its words, then frames of one bit rate. */
export async function* encodeMp3(sound: Sound, words: string): AsyncGenerator<Uint8Array> {
  const milliseconds = Math.floor((sound.frames / sound.sampleRate) * 1000);
  yield tagOf(voiceSoftware, words, milliseconds);
  const { createMp3Encoder } = await import('../../../lib/mp3-encoder.js');
  const encoder = await createMp3Encoder();
  encoder.configure({ ...rates, channels: 1, bitrate: kbps });
  let samples = 0;
  for (const piece of sound.pieces()) {
    const bytes = encoder.encode([Float32Array.from(piece, (sample) => sample / 32_768)]);
    // The encoder writes over its bytes.
    if (bytes.length > 0) yield bytes.slice();
    samples += piece.length;
    if (samples < samplesBetweenTurns) continue;
    samples = 0;
    await new Promise(setImmediate);
  }
  yield encoder.finalize().slice();
}

/** Where a stretch of the file lies. */
export interface Stretch {
  readonly offset: number;
  readonly byteLength: number;
}

export interface Mp3File {
  readonly sampleRate: number;
  readonly channels: 1 | 2;
  readonly samplesPerFrame: number;
  readonly frameCount: number;
  /** What was one file each before they were joined: a tag may stand before its frames. */
  readonly parts: readonly { readonly tag?: Stretch; readonly frameCount: number }[];
}

const windowBytes = 64 * 1024;
/** How far the first frame is looked for. */
const mostLead = 256 * 1024;
/** A file of more tags was made to keep its reader busy. */
const mostParts = 10_000;
/** Of the tag that stands behind the frames of older files, or of each that were joined. */
const oldTagBytes = 128;

/** Small pieces of a source, read a large one at a time. */
type View = (offset: number, length: number) => Promise<Buffer>;

function viewOf(source: SizedSource): View {
  let from = 0;
  let held: Buffer = Buffer.alloc(0);
  return async (offset, length) => {
    if (offset < from || offset + length > from + held.length) {
      from = offset;
      held = await exactly(source, offset, windowBytes);
    }
    return held.subarray(offset - from, offset - from + length);
  };
}

/**
 * Counts the file's frames; undefined when it holds none in a row. Files that were joined, one
 * after the other with their tags, are one.
 * @param visit gets each frame that sounds
 */
export async function readMp3(
  source: SizedSource,
  visit: (frame: Stretch) => void = () => undefined,
): Promise<Mp3File | undefined> {
  const view = viewOf(source);
  const lead = tagBytes(await view(0, headBytes));
  const first = await firstFrame(view, lead, source.length);
  if (!first) return undefined;
  const { sampleRate, isMono, isMpeg1 } = first.head;
  const parts: { tag?: Stretch; frameCount: number }[] = [];
  let part = partAfter(0, lead);
  let offset = await soundFrom(source, first.offset);
  while (parts.length < mostParts) {
    const tag = tagBytes(await view(offset, headBytes));
    const head = frameHead(await view(offset, 4));
    if (tag > 0) {
      parts.push(part);
      part = partAfter(offset, tag);
      offset = await soundFrom(source, offset + tag);
    } else if (head?.sampleRate === sampleRate && offset + head.byteLength <= source.length) {
      visit({ offset, byteLength: head.byteLength });
      part.frameCount += 1;
      offset += head.byteLength;
    } else if ((await view(offset, 3)).toString('latin1') === 'TAG') {
      offset += oldTagBytes;
    } else break;
  }
  parts.push(part);
  const frameCount = parts.reduce((sum, one) => sum + one.frameCount, 0);
  if (frameCount === 0) return undefined;
  const format = {
    sampleRate,
    channels: isMono ? 1 : 2,
    samplesPerFrame: isMpeg1 ? 1152 : 576,
  } as const;
  return { ...format, frameCount, parts };
}

function partAfter(offset: number, byteLength: number): { tag?: Stretch; frameCount: number } {
  return { ...(byteLength > 0 ? { tag: { offset, byteLength } } : {}), frameCount: 0 };
}

/** The first frame that another of its kind follows, or that ends the file. */
async function firstFrame(view: View, from: number, fileBytes: number) {
  for (let offset = from; offset < Math.min(from + mostLead, fileBytes); offset++) {
    const head = frameHead(await view(offset, 4));
    if (!head) continue;
    const next = offset + head.byteLength;
    const isFollowed = frameHead(await view(next, 4))?.sampleRate === head.sampleRate;
    if (next === fileBytes || isFollowed) return { offset, head };
  }
  return undefined;
}

/** A frame of layer III by its head; undefined when the bytes are none. */
function frameHead(bytes: Buffer) {
  const frame = frameAt(bytes);
  if (!frame) return undefined;
  const base = [44_100, 48_000, 32_000][(bytes.readUInt8(2) >> 2) & 3] ?? 0;
  // MPEG 1 has the whole rate, MPEG 2 half of it, and its extension a quarter.
  const sampleRate = base / ([4, 1, 2, 1][(bytes.readUInt8(1) >> 3) & 3] ?? 1);
  return { ...frame, sampleRate };
}
