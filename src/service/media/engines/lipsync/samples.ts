/** The samples of WAV files of any usual kind, as 16 bits. */
import { MediaRefusal } from '../refusal.js';
import { bufferOf } from '../sources.js';
import type { ByteSource } from '../types.js';
import type { WavFile } from '../wav/read.js';

export interface Samples {
  readonly sampleRate: number;
  readonly channels: 1 | 2;
  readonly frames: number;
  /** The frames from one up to, not including, another; channels interleaved. */
  read(from: number, to: number): Promise<Int16Array>;
}

type Reader = (bytes: Buffer, offset: number) => number;

const pcm = 1;
const floating = 3;

const readers: Readonly<Record<string, Reader>> = {
  [`${pcm}/8`]: (bytes, offset) => ((bytes[offset] ?? 128) - 128) << 8,
  [`${pcm}/16`]: (bytes, offset) => bytes.readInt16LE(offset),
  [`${pcm}/24`]: (bytes, offset) => bytes.readIntLE(offset, 3) >> 8,
  [`${pcm}/32`]: (bytes, offset) => bytes.readInt32LE(offset) >> 16,
  [`${floating}/32`]: (bytes, offset) =>
    Math.max(-32_768, Math.min(32_767, Math.round(bytes.readFloatLE(offset) * 32_767))),
};

/**
 * Of more than two channels the first two are kept.
 * @throws MediaRefusal when the samples are packed
 */
export function readSamples(source: ByteSource, wav: WavFile): Samples {
  const { encoding, bitsPerSample, blockBytes, dataFrom, dataTo, sampleRate } = wav;
  const sampleBytes = bitsPerSample / 8;
  const reader = readers[`${encoding}/${bitsPerSample}`];
  if (!reader || blockBytes < sampleBytes * wav.channels) {
    throw new MediaRefusal('source_unsupported', 'the WAV file holds packed sound, not samples');
  }
  const channels = wav.channels === 1 ? 1 : 2;
  return {
    sampleRate,
    channels,
    frames: Math.floor((dataTo - dataFrom) / blockBytes),
    read: async (from, to) => {
      const offset = dataFrom + from * blockBytes;
      const bytes = bufferOf(await source.read(offset, (to - from) * blockBytes));
      const samples = new Int16Array(Math.floor(bytes.length / blockBytes) * channels);
      for (let index = 0; index < samples.length; index++) {
        const frame = Math.floor(index / channels);
        samples[index] = reader(bytes, frame * blockBytes + (index % channels) * sampleBytes);
      }
      return samples;
    },
  };
}
