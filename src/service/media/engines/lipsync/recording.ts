/** Recordings as tracks of a film, and how loud they are. */
import { readMp3, type Mp3File, type Mp3Frame } from '../measure/mp3.js';
import { mp3Entry } from '../mp4/entries.js';
import type { Track } from '../mp4/write.js';
import { randomFrom } from '../random.js';
import { MediaRefusal } from '../refusal.js';
import type { ByteSource } from '../types.js';
import { readWav } from '../wav/read.js';
import { flacTrack } from './flac.js';
import { readSamples, type Samples } from './samples.js';

export interface Recording {
  readonly track: Track;
  readonly seconds: number;
  /** How far the mouth is open in each frame of the film, 0 to 1. */
  openings(framesPerSecond: number): Promise<Float32Array>;
  /** Whether that follows the sound, or is only guessed. */
  readonly isHeard: boolean;
}

/** @throws MediaRefusal when the recording is neither WAV nor MP3 */
export async function openRecording(source: ByteSource, seed: number): Promise<Recording> {
  const wav = await readWav(source);
  if (wav) return fromWav(readSamples(source, wav));
  const frames: Mp3Frame[] = [];
  const mp3 = await readMp3(source, (frame) => frames.push(frame));
  if (mp3) return fromMp3(source, mp3, frames, seed);
  throw new MediaRefusal('source_unreadable', 'the recording is damaged');
}

function fromWav(samples: Samples): Recording {
  const seconds = samples.frames / samples.sampleRate;
  return {
    track: flacTrack(samples),
    seconds,
    openings: (framesPerSecond) => loudness(samples, Math.ceil(seconds * framesPerSecond)),
    isHeard: true,
  };
}

/** The frames go into the film as they are; to hear them they would have to be decoded. */
function fromMp3(
  source: ByteSource,
  mp3: Mp3File,
  frames: readonly Mp3Frame[],
  seed: number,
): Recording {
  const { sampleRate, samplesPerFrame } = mp3;
  const ticks = frames.length * samplesPerFrame;
  const seconds = ticks / sampleRate;
  return {
    track: {
      kind: 'audio',
      timescale: sampleRate,
      ticksPerSample: samplesPerFrame,
      ticks,
      entry: mp3Entry(mp3),
      samples: frames.map(({ offset, byteLength }) => ({
        byteLength,
        isKey: true,
        bytes: () => source.read(offset, byteLength),
      })),
    },
    seconds,
    openings: (framesPerSecond) =>
      Promise.resolve(guessed(Math.ceil(seconds * framesPerSecond), framesPerSecond, seed)),
    isHeard: false,
  };
}

/** The loudness of each stretch, against the loudest. */
async function loudness(samples: Samples, stretches: number): Promise<Float32Array> {
  const levels = new Float32Array(stretches);
  for (let index = 0; index < stretches; index++) {
    const from = Math.floor((index / stretches) * samples.frames);
    const to = Math.floor(((index + 1) / stretches) * samples.frames);
    const heard = await samples.read(from, to);
    let energy = 0;
    for (const sample of heard) energy += sample * sample;
    levels[index] = Math.sqrt(energy / Math.max(1, heard.length));
  }
  const loudest = levels.reduce((most, level) => Math.max(most, level), 1);
  return levels.map((level) => Math.min(1, (level / loudest) * 1.3));
}

/** Syllables, five or so a second. */
function guessed(frames: number, framesPerSecond: number, seed: number): Float32Array {
  const random = randomFrom('syllables', seed);
  let [start, length, height] = [0, 1, 0];
  return Float32Array.from({ length: frames }, (_, frame) => {
    if (frame >= start + length) {
      start = frame;
      length = Math.max(2, Math.round(framesPerSecond * random.between(0.12, 0.28)));
      height = random.next() < 0.15 ? 0 : random.between(0.4, 1);
    }
    return height * Math.sin((Math.PI * (frame - start + 0.5)) / length);
  });
}
