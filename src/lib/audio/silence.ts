/** Finds where in a recording it is quiet. */
import { span, type ByteSource } from './source.js';
import type { WavFormat } from './wav.js';

/** How loud the samples from one byte to another are: the sum of their squares. */
type Loudness = (bytes: Buffer, from: number, to: number) => number;

const frameSeconds = 0.02;
/** A pause between words is shorter, one between sentences seldom. */
const pauseFrames = 15;

/** Whether the samples of this format can be read without decoding. */
export function isMeasurable(format: WavFormat): boolean {
  return loudnessFor(format) !== undefined;
}

/**
 * The middle of the quietest 0.3 s between two places, in bytes from the start of the source and
 * on a whole block; of equally quiet ones the last. Where nothing can be measured, the end.
 * @param from and @param to lie on whole blocks.
 */
export async function quietestPlace(
  source: ByteSource,
  format: WavFormat,
  from: number,
  to: number,
): Promise<number> {
  const frameBytes = Math.max(1, Math.round(format.sampleRate * frameSeconds)) * format.blockBytes;
  const levels = await levelsOf(source, format, { from, to, frameBytes });
  if (levels.length === 0) return to;
  const width = Math.min(pauseFrames, levels.length);
  let sum = levels.slice(0, width).reduce((total, level) => total + level, 0);
  let best = { at: 0, sum };
  for (let at = 1; at + width <= levels.length; at += 1) {
    sum += (levels[at + width - 1] ?? 0) - (levels[at - 1] ?? 0);
    // Adding and taking away leaves a little behind: silence is silence all the same.
    if (sum <= best.sum + 1e-9) best = { at, sum };
  }
  return from + (best.at + Math.floor(width / 2)) * frameBytes;
}

interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly frameBytes: number;
}

/** How loud each whole frame is. */
async function levelsOf(
  source: ByteSource,
  format: WavFormat,
  { from, to, frameBytes }: Stretch,
): Promise<number[]> {
  const loudness = loudnessFor(format);
  const levels: number[] = [];
  if (!loudness) return levels;
  let held: Buffer = Buffer.alloc(0);
  for await (const piece of span(source, from, to)) {
    const bytes = held.length === 0 ? piece : Buffer.concat([held, piece]);
    let at = 0;
    for (; at + frameBytes <= bytes.length; at += frameBytes) {
      levels.push(loudness(bytes, at, at + frameBytes));
    }
    held = bytes.subarray(at);
  }
  return levels;
}

function loudnessFor({ encoding, bitsPerSample }: WavFormat): Loudness | undefined {
  const read = readers[`${String(encoding)}/${String(bitsPerSample)}`];
  if (!read) return undefined;
  const step = bitsPerSample / 8;
  return (bytes, from, to) => {
    let sum = 0;
    for (let at = from; at + step <= to; at += step) {
      const sample = read(bytes, at);
      sum += sample * sample;
    }
    return sum;
  };
}

/** A sample as a part of the loudest there can be, by encoding and bits. */
const readers: Readonly<Record<string, (bytes: Buffer, at: number) => number>> = {
  '1/8': (bytes, at) => (bytes.readUInt8(at) - 128) / 128,
  '1/16': (bytes, at) => bytes.readInt16LE(at) / 2 ** 15,
  '1/24': (bytes, at) => bytes.readIntLE(at, 3) / 2 ** 23,
  '1/32': (bytes, at) => bytes.readInt32LE(at) / 2 ** 31,
  '3/32': (bytes, at) => bytes.readFloatLE(at),
  '3/64': (bytes, at) => bytes.readDoubleLE(at),
};
