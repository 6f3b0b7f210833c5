/** Reads compressed sound with decoders that this project did not write. */
import { MPEGDecoder } from 'mpg123-decoder';
import { parseBuffer } from 'music-metadata';
import { expect } from 'vitest';

interface Decoded {
  readonly sampleRate: number;
  /** The first channel, -1 to 1. */
  readonly samples: Float32Array;
}

export async function decodeMp3(bytes: Uint8Array): Promise<Decoded> {
  const decoder = new MPEGDecoder();
  await decoder.ready;
  const { channelData, sampleRate, errors } = decoder.decode(bytes);
  decoder.free();
  expect(errors).toEqual([]);
  return { sampleRate, samples: channelData[0] ?? new Float32Array() };
}

/** What a file says of itself. */
export async function describe(bytes: Uint8Array) {
  const { format, common } = await parseBuffer(bytes, undefined, { duration: true });
  const { container, codec, sampleRate, numberOfChannels, duration } = format;
  return {
    container,
    codec,
    sampleRate,
    numberOfChannels,
    seconds: duration ?? 0,
    words: common.lyrics?.map(({ text }) => text),
  };
}

const comparedSamples = 12_000;

/** How alike half a second of two sounds is, -1 to 1, at the best of the shifts up to `most`. */
export function likeness(sound: Float32Array, other: Float32Array, most: number): number {
  const one = sound.subarray(0, comparedSamples);
  let best = -1;
  for (let shift = 0; shift <= most; shift++) {
    let [both, first, second] = [0, 0, 0];
    // Every fourth sample tells as much, sooner.
    for (let at = 0; at < one.length && at + shift < other.length; at += 4) {
      const [a, b] = [one[at] ?? 0, other[at + shift] ?? 0];
      both += a * b;
      first += a * a;
      second += b * b;
    }
    best = Math.max(best, both / Math.sqrt(first * second));
    if (best > 0.95) break;
  }
  return best;
}
