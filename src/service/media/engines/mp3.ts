/** MP3 files: written with the words in a tag, and counted frame by frame. */
import { frameAt, soundFrom, tagBytes, tagOf } from '../../../lib/audio/mp3.js';
import { exactly, type SizedSource } from '../../../lib/audio/source.js';
import { voiceSoftware } from './types.js';
import type { Sound } from './wav.js';

const outputSampleRate = 24_000;
/** Of one voice; a hundred thousand characters stay below what transcription takes. */
const kbps = 32;
/** After so many samples, some 10 ms, the event loop gets its turn, so that a Ctrl-C is heard. */
const samplesBetweenTurns = 1 << 14;

/** The bytes of an MP3 file: a tag with its words, then frames of one bit rate. */
export async function* encodeMp3(sound: Sound, words: string): AsyncGenerator<Uint8Array> {
  const { sampleRate, channels, frames } = sound;
  yield tagOf(voiceSoftware, words, Math.floor((frames / sampleRate) * 1000));
  const { createMp3Encoder } = await import('../../../lib/mp3-encoder.js');
  const encoder = await createMp3Encoder();
  const bitrate = channels === 1 ? kbps : 64;
  encoder.configure({ sampleRate, outputSampleRate, channels, bitrate });
  for await (const piece of sound.pieces()) {
    for (let at = 0; at < piece.length; at += samplesBetweenTurns) {
      const part = piece.subarray(at, at + samplesBetweenTurns);
      const length = part.length / channels;
      const channelOf = (channel: number) =>
        Float32Array.from({ length }, (_, at) => (part[at * channels + channel] ?? 0) / 32_768);
      const bytes = encoder.encode(Array.from({ length: channels }, (_, one) => channelOf(one)));
      // The encoder writes over its bytes.
      if (bytes.length > 0) yield bytes.slice();
      await new Promise(setImmediate);
    }
  }
  yield encoder.finalize().slice();
}

/** A part of a file: what was one file before several were joined may begin with a tag. */
interface Mp3Part {
  readonly tag?: { readonly offset: number; readonly byteLength: number };
  frameCount: number;
}

const windowBytes = 64 * 1024;
/** How far the first frame is looked for. */
const mostLead = 256 * 1024;
/** A file of more tags was made to keep its reader busy. */
const mostParts = 10_000;
/** Of the tag that stands behind the frames of older files. */
const oldTagBytes = 128;

/** Reads ten bytes from any place, out of many that it holds. */
function viewOf(source: SizedSource): (offset: number) => Promise<Buffer> {
  let from = 0;
  let held: Buffer = Buffer.alloc(0);
  return async (offset) => {
    if (offset < from || offset + 10 > from + held.length) {
      from = offset;
      held = await exactly(source, offset, windowBytes);
    }
    return held.subarray(offset - from, offset - from + 10);
  };
}

/** Counts the frames of a file, or of several joined; undefined when it holds none in a row. */
export async function readMp3(
  source: SizedSource,
  visit: (offset: number, byteLength: number) => void = () => undefined,
) {
  const view = viewOf(source);
  const lead = tagBytes(await view(0));
  const first = await firstFrame(view, lead, source.length);
  if (!first) return undefined;
  const { sampleRate, isMono, isMpeg1 } = first;
  const parts: Mp3Part[] = [];
  const begin = (offset: number, byteLength: number) => {
    const part = { ...(byteLength > 0 && { tag: { offset, byteLength } }), frameCount: 0 };
    parts.push(part);
    return part;
  };
  let part = begin(0, lead);
  let offset = await soundFrom(source, first.offset);
  while (parts.length <= mostParts) {
    const head = await view(offset);
    const frame = frameAt(head);
    const tag = tagBytes(head);
    if (tag > 0) {
      part = begin(offset, tag);
      offset = await soundFrom(source, offset + tag);
    } else if (frame?.sampleRate === sampleRate && offset + frame.byteLength <= source.length) {
      visit(offset, frame.byteLength);
      part.frameCount += 1;
      offset += frame.byteLength;
    } else if (head.toString('latin1', 0, 3) === 'TAG') {
      offset += oldTagBytes;
    } else break;
  }
  const samplesPerFrame = isMpeg1 ? 1152 : 576;
  const secondsOf = (count: number) => (count * samplesPerFrame) / sampleRate;
  const frameCount = parts.reduce((sum, one) => sum + one.frameCount, 0);
  if (frameCount === 0) return undefined;
  const format = { sampleRate, channels: isMono ? 1 : 2, samplesPerFrame };
  return { ...format, parts, secondsOf, seconds: secondsOf(frameCount) };
}

/** The first frame that another of its kind follows, or that ends the file. */
async function firstFrame(view: ReturnType<typeof viewOf>, from: number, fileBytes: number) {
  for (let offset = from; offset < Math.min(from + mostLead, fileBytes); offset++) {
    const frame = frameAt(await view(offset));
    if (!frame) continue;
    const next = offset + frame.byteLength;
    const isFollowed = frameAt(await view(next))?.sampleRate === frame.sampleRate;
    if (next === fileBytes || isFollowed) return { offset, ...frame };
  }
  return undefined;
}
