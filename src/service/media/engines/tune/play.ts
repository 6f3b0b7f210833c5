/** Plays a score on plucked strings (Karplus and Strong): noise that goes round and mellows. */
import type { Ordered } from '../define.js';
import { randomFrom } from '../random.js';
import type { MakeInput, MediaResult } from '../types.js';
import { encodeWav, type Sound } from '../wav/write.js';
import { writeScore, type Note, type Score } from './score.js';
import type { TuneOpts } from './tune.js';

const sampleRate = 44_100;
const pieceFrames = 8192;
/** Strings are silent after this. */
const ringSeconds = 3;
const fadeSeconds = 0.4;
const volume = 0.4;

export function play({ prompt, opts }: Ordered<TuneOpts>, input: MakeInput): Promise<MediaResult> {
  const seed = opts.seed ?? input.seed;
  const score = writeScore(prompt, seed, opts.seconds, opts.tempo);
  const frames = Math.round(opts.seconds * sampleRate);
  const sound: Sound = {
    sampleRate,
    channels: 2,
    frames,
    pieces: () => render(score, frames),
  };
  const notes = { ICMT: prompt, ISFT: 'svc local/tune' };
  const file = { mediaType: 'audio/wav', ext: 'wav', bytes: () => encodeWav(sound, notes) };
  const { beatsPerMinute } = score;
  return Promise.resolve({
    files: [file],
    resultMeta: { seconds: opts.seconds, sampleRate, channels: 2, beatsPerMinute, seed },
  });
}

interface PluckedString {
  readonly line: Float32Array;
  at: number;
  readonly left: number;
  readonly right: number;
  framesLeft: number;
}

function* render({ notes }: Score, frames: number): Generator<Int16Array> {
  let ringing: PluckedString[] = [];
  let next = 0;
  const mixed = new Float32Array(pieceFrames * 2);
  for (let from = 0; from < frames; from += pieceFrames) {
    const length = Math.min(pieceFrames, frames - from);
    mixed.fill(0);
    for (const string of ringing) pull(string, mixed, 0, length);
    for (let note = notes[next]; note; note = notes[++next]) {
      const start = Math.floor(note.startSeconds * sampleRate) - from;
      if (start >= length) break;
      const string = pluck(note, next);
      pull(string, mixed, start, length);
      ringing.push(string);
    }
    ringing = ringing.filter(({ framesLeft }) => framesLeft > 0);
    yield toSamples(mixed, from, length, frames);
  }
}

function pluck({ hertz, loudness, place }: Note, index: number): PluckedString {
  const random = randomFrom('string', index, Math.round(hertz));
  const line = Float32Array.from({ length: Math.max(2, Math.round(sampleRate / hertz)) }, () =>
    random.between(-1, 1),
  );
  return {
    line,
    at: 0,
    left: loudness * volume * (1 - Math.max(0, place)),
    right: loudness * volume * (1 + Math.min(0, place)),
    framesLeft: ringSeconds * sampleRate,
  };
}

/** Adds a string's sound to the frames `from` up to `to`. */
function pull(string: PluckedString, mixed: Float32Array, from: number, to: number): void {
  const { line, left, right } = string;
  const end = Math.min(to, from + string.framesLeft);
  for (let frame = from; frame < end; frame++) {
    const here = line[string.at] ?? 0;
    const following = string.at + 1 === line.length ? 0 : string.at + 1;
    line[string.at] = 0.498 * (here + (line[following] ?? 0));
    string.at = following;
    mixed[frame * 2] = (mixed[frame * 2] ?? 0) + here * left;
    mixed[frame * 2 + 1] = (mixed[frame * 2 + 1] ?? 0) + here * right;
  }
  string.framesLeft -= end - from;
}

/** The loudest sums are bent, not cut; the last moments fade away. */
function toSamples(mixed: Float32Array, from: number, length: number, frames: number): Int16Array {
  const samples = new Int16Array(length * 2);
  for (let index = 0; index < samples.length; index++) {
    const left = (frames - from - (index >> 1)) / (fadeSeconds * sampleRate);
    const sum = mixed[index] ?? 0;
    const bent = sum / (1 + Math.abs(sum) * 0.5);
    samples[index] = Math.max(-1, Math.min(1, bent * Math.min(1, left))) * 32_767;
  }
  return samples;
}
