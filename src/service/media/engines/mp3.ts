/** MP3 files: written with the words in a tag, and read frame by frame. */
import { frameAt, soundFrom, tagBytes, tagOf } from '../../../lib/audio/mp3.js';
import { exactly, type SizedSource } from '../../../lib/audio/source.js';
import type { Sound } from './wav.js';

/** What tells a file of local/voice from others. */
export const voiceSoftware = 'svc local/voice';

/** The bytes of an MP3 file: a tag with its words, then frames of one bit rate. */
export async function* encodeMp3(sound: Sound, words: string): AsyncGenerator<Uint8Array> {
  const { sampleRate, channels, frames } = sound;
  yield tagOf(voiceSoftware, words, Math.floor((frames / sampleRate) * 1000));
  const { createMp3Encoder } = await import('../../../lib/mp3-encoder.js');
  const encoder = await createMp3Encoder();
  // A hundred thousand characters of one voice stay below what transcription takes.
  const bitrate = channels === 1 ? 32 : 64;
  encoder.configure({ sampleRate, outputSampleRate: 24_000, channels, bitrate });
  for await (const piece of sound.pieces()) {
    const channelOf = (channel: number) => piece.filter((_, index) => index % channels === channel);
    const bytes = encoder.encode(Array.from({ length: channels }, (_, one) => channelOf(one)));
    // The encoder writes over its bytes.
    if (bytes.length > 0) yield bytes.slice();
    await new Promise(setImmediate);
  }
  yield encoder.finalize().slice();
}

const windowBytes = 64 * 1024;
/** How far the first frame is looked for. */
const mostLead = 256 * 1024;
/** A file of more tags was made to keep its reader busy. */
const mostTags = 10_000;
/** Of the tag that stands behind the frames of older files. */
const oldTagBytes = 128;

/** A tag, which has no samples, or a frame. */
export interface Mp3Piece {
  readonly offset: number;
  readonly byteLength: number;
  readonly samples: number;
}

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

/** The tags and frames of a file, or of several joined; undefined when it has no frames in a row. */
export async function readMp3(source: SizedSource) {
  const view = viewOf(source);
  const lead = tagBytes(await view(0));
  const first = await firstFrame(view, lead, source.length);
  if (!first) return undefined;
  const samples = first.isMpeg1 ? 1152 : 576;
  const pieces = async function* (): AsyncGenerator<Mp3Piece> {
    if (lead > 0) yield { offset: 0, byteLength: lead, samples: 0 };
    let offset = await soundFrom(source, first.offset);
    for (let tags = 0; tags < mostTags;) {
      const head = await view(offset);
      const frame = frameAt(head);
      const tag = tagBytes(head);
      if (tag > 0) {
        yield { offset, byteLength: tag, samples: 0 };
        tags += 1;
        offset = await soundFrom(source, offset + tag);
      } else if (
        frame?.sampleRate === first.sampleRate &&
        offset + frame.byteLength <= source.length
      ) {
        yield { offset, byteLength: frame.byteLength, samples };
        offset += frame.byteLength;
      } else if (head.toString('latin1', 0, 3) === 'TAG') offset += oldTagBytes;
      else break;
    }
  };
  return { sampleRate: first.sampleRate, channels: first.isMono ? 1 : 2, samples, pieces };
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
