/** Sound as samples of 16 bits: written as WAV files, and read from those of any samples. */
import { exactly, type SizedSource } from '../../../lib/audio/source.js';
import { listOf, wavBytes, wavHead, type WavFile } from '../../../lib/audio/wav.js';

/** What a sound of whole samples is like. */
export interface SoundFormat {
  readonly sampleRate: number;
  readonly channels: 1 | 2;
  /** How many samples each channel has. */
  readonly frames: number;
}

export interface Sound extends SoundFormat {
  /** The samples, channels interleaved. A piece may be written over after its turn. */
  pieces(): Iterable<Int16Array>;
}

const pieceFrames = 4096;

/** A sound whose samples, -1 to 1, are made frame by frame; `begin` starts anew for each reading. */
export function soundOf(
  sampleRate: number,
  channels: 1 | 2,
  frames: number,
  begin: () => (frame: number, channel: number) => number,
): Sound {
  const pieces = function* () {
    const next = begin();
    for (let from = 0; from < frames; from += pieceFrames) {
      const piece = new Int16Array(channels * Math.min(pieceFrames, frames - from));
      for (let at = 0; at < piece.length; at++) {
        piece[at] = next(from + Math.floor(at / channels), at % channels) * 32_767;
      }
      yield piece;
    }
  };
  return { sampleRate, channels, frames, pieces };
}

/** After this many samples the event loop gets its turn. */
const samplesBetweenTurns = 1 << 18;

/** How many bytes a sound's samples take. */
export function soundBytes({ frames, channels }: SoundFormat): number {
  return frames * channels * 2;
}

/**
 * A sound as a WAV file with notes by their RIFF name (ICMT comment, ISFT software). They come last,
 * for many readers take it that the sound begins at byte 44.
 */
export function wavFile(sound: Sound, notes: Readonly<Record<string, string>>) {
  const { sampleRate, channels } = sound;
  const chunk = Buffer.alloc(16);
  [1, channels].forEach((value, at) => chunk.writeUInt16LE(value, at * 2));
  [sampleRate, sampleRate * channels * 2].forEach((rate, at) =>
    chunk.writeUInt32LE(rate, 4 + at * 4),
  );
  [channels * 2, 16].forEach((value, at) => chunk.writeUInt16LE(value, 12 + at * 2));
  const list = listOf(Object.entries(notes).map(([name, text]) => ({ name, text })));
  const dataBytes = soundBytes(sound);
  const bytes = async function* () {
    yield wavHead({ chunk }, dataBytes, list.length);
    yield* littleEndian(sound);
    yield list;
  };
  return { byteLength: wavBytes({ chunk }, dataBytes, list.length), bytes };
}

/** The samples alone, as they stand in a WAV file: 16 bits, little-endian, interleaved. */
export async function* littleEndian(sound: Sound): AsyncGenerator<Uint8Array> {
  let samples = 0;
  for (const piece of sound.pieces()) {
    // As the machine has them: low byte first.
    yield Buffer.from(piece.slice().buffer);
    samples += piece.length;
    if (samples < samplesBetweenTurns) continue;
    samples = 0;
    await new Promise(setImmediate);
  }
}

export interface Samples extends SoundFormat {
  /** The frames from one up to, not including, another; channels interleaved. */
  read(from: number, to: number): Promise<Int16Array>;
}

/** How a sample is read, by encoding and bits. */
const readers: Readonly<Record<string, (bytes: Buffer, offset: number) => number>> = {
  '1/8': (bytes, offset) => (bytes.readUInt8(offset) - 128) << 8,
  '1/16': (bytes, offset) => bytes.readInt16LE(offset),
  '1/24': (bytes, offset) => bytes.readIntLE(offset, 3) >> 8,
  '1/32': (bytes, offset) => bytes.readInt32LE(offset) >> 16,
  '3/32': (bytes, offset) =>
    Math.max(-32_768, Math.min(32_767, Math.round(bytes.readFloatLE(offset) * 32_767))),
};

/** A WAV file's samples as 16 bits, of its first two channels; undefined when they are packed. */
export function samplesOf(source: SizedSource, wav: WavFile): Samples | undefined {
  const { dataFrom, dataTo } = wav;
  const { encoding, bitsPerSample, blockBytes, sampleRate } = wav.format;
  const sampleBytes = bitsPerSample / 8;
  const reader = readers[`${encoding}/${bitsPerSample}`];
  if (!reader || blockBytes < sampleBytes * wav.format.channels) return undefined;
  const channels = wav.format.channels === 1 ? 1 : 2;
  return {
    sampleRate,
    channels,
    frames: Math.floor((dataTo - dataFrom) / blockBytes),
    read: async (from, to) => {
      const bytes = await exactly(source, dataFrom + from * blockBytes, (to - from) * blockBytes);
      const length = Math.floor(bytes.length / blockBytes) * channels;
      return Int16Array.from({ length }, (_, index) => {
        const frame = Math.floor(index / channels);
        return reader(bytes, frame * blockBytes + (index % channels) * sampleBytes);
      });
    },
  };
}
