/** Sound as samples from -1 to 1: writes WAV and MP3 files, and reads those of other software. */
import { readers } from '../../../lib/audio/cut.js';
import { tagFrame, tagOf } from '../../../lib/audio/mp3.js';
import { exactly, type SizedSource } from '../../../lib/audio/source.js';
import { listOf, readWav, wavBytes, wavHead } from '../../../lib/audio/wav.js';

export interface Sound {
  readonly sampleRate: number;
  readonly channels: 1 | 2;
  readonly frames: number;
  pieces(): Iterable<Float32Array> | AsyncIterable<Float32Array>;
}

/** About 10 ms of work: after each piece the event loop runs, so that Ctrl-C is handled. */
const pieceFrames = 16_000;

/** A sound whose samples are generated frame by frame; `begin` restarts it for each reading. */
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
      yield Float32Array.from({ length }, (_, at) =>
        next(from + Math.floor(at / channels), at % channels),
      );
    }
  };
  return { sampleRate, channels, frames, pieces };
}

/** A WAV file with notes by RIFF name at its end: many programs expect the audio at byte 44. */
export function wavFile(sound: Sound, notes: Readonly<Record<string, string>>) {
  const { sampleRate: rate, channels, frames } = sound;
  const bytesPerSecond = rate * channels * 2;
  const words = [1, channels, rate, rate >> 16, bytesPerSecond, bytesPerSecond >> 16, channels * 2];
  const chunk = Buffer.from(Uint16Array.of(...words, 16).buffer);
  const list = listOf(Object.entries(notes).map(([name, text]) => ({ name, text })));
  const dataBytes = frames * channels * 2;
  const bytes = async function* () {
    yield wavHead({ chunk }, dataBytes, list.length);
    yield* samplesIn(sound);
    yield list;
  };
  return { byteLength: wavBytes({ chunk }, dataBytes, list.length), bytes };
}

/** The samples in 16 bits, little-endian as in memory and in WAV files. */
export async function* samplesIn(sound: Sound): AsyncGenerator<Uint8Array> {
  for await (const piece of sound.pieces()) {
    yield Buffer.from(Int16Array.from(piece, (sample) => sample * 32_767).buffer);
    await new Promise(setImmediate);
  }
}

/** The first two channels of a WAV file; undefined for other or compressed files. */
export async function soundIn(source: SizedSource): Promise<Sound | undefined> {
  const wav = await readWav(source);
  if (!wav) return undefined;
  const { dataFrom, dataTo, format } = wav;
  const { encoding, bitsPerSample, blockBytes, sampleRate } = format;
  const sampleAt = readers[`${encoding}/${bitsPerSample}`];
  const sampleBytes = bitsPerSample / 8;
  if (!sampleAt || blockBytes < sampleBytes * format.channels) return undefined;
  const channels = format.channels === 1 ? 1 : 2;
  const pieceBytes = pieceFrames * blockBytes;
  const pieces = async function* () {
    for (let at = dataFrom; at < dataTo; at += pieceBytes) {
      const bytes = await exactly(source, at, Math.min(pieceBytes, dataTo - at));
      const length = Math.floor(bytes.length / blockBytes) * channels;
      yield Float32Array.from({ length }, (_, index) => {
        const frame = Math.floor(index / channels);
        const sample = sampleAt(bytes, frame * blockBytes + (index % channels) * sampleBytes);
        // A floating-point sample may be NaN.
        return Math.max(-1, Math.min(1, sample || 0));
      });
    }
  };
  return { sampleRate, channels, frames: (dataTo - dataFrom) / blockBytes, pieces };
}

export const voiceSoftware = 'svc local/voice';

/** The bytes of an MP3 file: a tag with its words, then frames of one bit rate. */
export async function* encodeMp3(sound: Sound, words: string): AsyncGenerator<Uint8Array> {
  const { sampleRate, channels, frames } = sound;
  yield tagOf([tagFrame('TSSE', voiceSoftware)], words, Math.floor((frames / sampleRate) * 1000));
  const { createMp3Encoder } = await import('../../../lib/mp3-encoder.js');
  const encoder = await createMp3Encoder();
  // A hundred thousand characters of one voice stay below what transcription takes.
  const bitrate = channels === 1 ? 32 : 64;
  encoder.configure({ sampleRate, outputSampleRate: 24_000, channels, bitrate });
  for await (const piece of sound.pieces()) {
    const channelOf = (channel: number) => piece.filter((_, index) => index % channels === channel);
    const bytes = encoder.encode(Array.from({ length: channels }, (_, one) => channelOf(one)));
    // The encoder reuses its buffer.
    if (bytes.length > 0) yield bytes.slice();
    await new Promise(setImmediate);
  }
  yield encoder.finalize().slice();
}
