/** Sound as samples of 16 bits: written as WAV files, and read from those of any samples. */
import { exactly, type SizedSource } from '../../../lib/audio/source.js';
import { listOf, wavBytes, wavHead, type WavFile } from '../../../lib/audio/wav.js';

export interface Sound {
  readonly sampleRate: number;
  readonly channels: 1 | 2;
  /** How many samples each channel has. */
  readonly frames: number;
  /** The samples, channels interleaved. */
  pieces(): Iterable<Int16Array> | AsyncIterable<Int16Array>;
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
      const length = channels * Math.min(pieceFrames, frames - from);
      yield Int16Array.from({ length }, (_, at) => {
        return next(from + Math.floor(at / channels), at % channels) * 32_767;
      });
    }
  };
  return { sampleRate, channels, frames, pieces };
}

export function soundBytes({ frames, channels }: Sound): number {
  return frames * channels * 2;
}

/** A WAV file with notes by their RIFF name, at its end: many expect the sound at byte 44. */
export function wavFile(sound: Sound, notes: Readonly<Record<string, string>>) {
  const { sampleRate, channels } = sound;
  const chunk = Buffer.alloc(16);
  chunk.writeUInt16LE(1, 0);
  chunk.writeUInt16LE(channels, 2);
  chunk.writeUInt32LE(sampleRate, 4);
  chunk.writeUInt32LE(sampleRate * channels * 2, 8);
  chunk.writeUInt16LE(channels * 2, 12);
  chunk.writeUInt16LE(16, 14);
  const list = listOf(Object.entries(notes).map(([name, text]) => ({ name, text })));
  const dataBytes = soundBytes(sound);
  const bytes = async function* () {
    yield wavHead({ chunk }, dataBytes, list.length);
    yield* littleEndian(sound);
    yield list;
  };
  return { byteLength: wavBytes({ chunk }, dataBytes, list.length), bytes };
}

/** After this many pieces the event loop gets its turn. */
const piecesBetweenTurns = 32;

/** The samples alone, as they stand in a WAV file, which is as the machine has them. */
export async function* littleEndian(sound: Sound): AsyncGenerator<Uint8Array> {
  let count = 0;
  for await (const piece of sound.pieces()) {
    yield Buffer.from(piece.buffer);
    if (++count % piecesBetweenTurns === 0) await new Promise(setImmediate);
  }
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

/** So many frames of a file are read at once. */
const atOnce = 48_000;

/** The first two channels of a WAV file; undefined when they are packed. */
export function soundIn(source: SizedSource, wav: WavFile): Sound | undefined {
  const { dataFrom, dataTo, format } = wav;
  const { encoding, bitsPerSample, blockBytes, sampleRate } = format;
  const sampleBytes = bitsPerSample / 8;
  const reader = readers[`${encoding}/${bitsPerSample}`];
  if (!reader || blockBytes < sampleBytes * format.channels) return undefined;
  const channels = format.channels === 1 ? 1 : 2;
  const pieces = async function* () {
    for (let at = dataFrom; at < dataTo; at += atOnce * blockBytes) {
      const bytes = await exactly(source, at, Math.min(atOnce * blockBytes, dataTo - at));
      const length = Math.floor(bytes.length / blockBytes) * channels;
      yield Int16Array.from({ length }, (_, index) => {
        const frame = Math.floor(index / channels);
        return reader(bytes, frame * blockBytes + (index % channels) * sampleBytes);
      });
    }
  };
  return { sampleRate, channels, frames: Math.floor((dataTo - dataFrom) / blockBytes), pieces };
}
