/** How loud a recording is, where its samples can be read without decoding: in WAV files. */
import { readSamples } from '../lipsync/samples.js';
import { MediaRefusal } from '../refusal.js';
import type { ByteSource } from '../types.js';
import { readWav } from '../wav/read.js';

export interface Loudness {
  /** The root of the mean square, as a part of the loudest there can be. */
  readonly level: number;
  readonly peak: number;
  /** How long all stretches are together in which nothing is louder than a whisper's hiss. */
  readonly silentSeconds: number;
}

const fullScale = 32_768;
const stretchSeconds = 0.05;
/** -50 dBFS. */
const silentBelow = 10 ** (-50 / 20);
/** As many stretches are read at once as have so many frames: a second at 48 kHz. */
const framesAtOnce = 48_000;

/** Reads the whole recording, a little at a time; undefined when its sound is packed. */
export async function loudnessOf(source: ByteSource): Promise<Loudness | undefined> {
  const wav = await readWav(source);
  if (!wav) return undefined;
  try {
    return await measureSamples(readSamples(source, wav));
  } catch (error) {
    if (error instanceof MediaRefusal) return undefined;
    throw error;
  }
}

async function measureSamples(samples: ReturnType<typeof readSamples>): Promise<Loudness> {
  const { frames, channels, sampleRate } = samples;
  // A damaged head may tell of any rate: neither tiny nor huge reads come of it.
  const stretch = Math.min(framesAtOnce, Math.max(1, Math.round(sampleRate * stretchSeconds)));
  const atOnce = stretch * Math.floor(framesAtOnce / stretch);
  let [squares, peak, silentFrames] = [0, 0, 0];
  for (let from = 0; from < frames; from += atOnce) {
    const heard = await samples.read(from, Math.min(frames, from + atOnce));
    for (let at = 0; at < heard.length; at += stretch * channels) {
      const part = loudnessIn(heard.subarray(at, at + stretch * channels));
      squares += part.squares;
      peak = Math.max(peak, part.peak);
      if (Math.sqrt(part.squares / part.count) < silentBelow) silentFrames += part.count / channels;
    }
  }
  return {
    level: Math.sqrt(squares / Math.max(1, frames * channels)),
    peak,
    silentSeconds: silentFrames / sampleRate,
  };
}

function loudnessIn(heard: Int16Array) {
  let [squares, peak] = [0, 0];
  for (const sample of heard) {
    const part = Math.abs(sample) / fullScale;
    squares += part * part;
    if (part > peak) peak = part;
  }
  return { squares, peak, count: heard.length };
}
