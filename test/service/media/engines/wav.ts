/** Opens WAV files with a reader that this project did not write. */
import wavefile from 'wavefile';
import * as z from 'zod/mini';

const Format = z.looseObject({ sampleRate: z.number(), numChannels: z.number() });

/** What the file says of itself, its notes up to their first NUL, its samples interleaved. */
export function openWav(bytes: Buffer) {
  // The reader does not care what the file says of its own length; others do.
  if (bytes.readUInt32LE(4) !== bytes.length - 8) throw new Error('the length is wrong');
  const wav = new wavefile.WaveFile(bytes);
  const { sampleRate, numChannels } = Format.parse(wav.fmt);
  const samples = Int16Array.from(wav.getSamples(true, Int16Array));
  return {
    sampleRate,
    channels: numChannels,
    bitDepth: wav.bitDepth,
    seconds: samples.length / numChannels / sampleRate,
    samples,
    notes: z.record(z.string(), z.string()).parse(wav.listTags()),
  };
}

/** The mean loudness, 0 to 1. */
export function levelOf(samples: Int16Array): number {
  let energy = 0;
  for (const sample of samples) energy += (sample / 32_768) ** 2;
  return Math.sqrt(energy / Math.max(1, samples.length));
}
