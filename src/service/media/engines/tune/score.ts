/** Writes the notes of a tune: a chord to a bar, a melody that keeps to it. */
import { randomFrom, type Random } from '../random.js';

export interface Note {
  readonly startSeconds: number;
  readonly hertz: number;
  /** 0 to 1. */
  readonly loudness: number;
  /** -1 is left, 1 is right. */
  readonly place: number;
}

export interface Score {
  readonly beatsPerMinute: number;
  /** By their start. */
  readonly notes: readonly Note[];
}

const scales: readonly [readonly number[], ...(readonly number[])[]] = [
  [0, 2, 4, 5, 7, 9, 11],
  [0, 2, 3, 5, 7, 8, 10],
  [0, 2, 3, 5, 7, 9, 10],
  [0, 2, 4, 6, 7, 9, 11],
];

/** Chords by the step of the scale that they stand on. */
const progressions: readonly [readonly number[], ...(readonly number[])[]] = [
  [0, 5, 3, 4],
  [0, 3, 4, 3],
  [0, 4, 5, 3],
  [5, 3, 0, 4],
];

/** Lengths of a bar's notes, in beats. */
const rhythms: readonly [readonly number[], ...(readonly number[])[]] = [
  [1, 1, 1, 1],
  [1, 0.5, 0.5, 1, 1],
  [1.5, 0.5, 1, 1],
  [0.5, 0.5, 1, 0.5, 0.5, 1],
  [2, 1, 1],
];

const beatsPerBar = 4;

/** @param tempo beats a minute; the prompt decides when it is absent */
export function writeScore(
  prompt: string,
  seed: number,
  seconds: number,
  tempo: number | undefined,
): Score {
  const random = randomFrom('tune', prompt, seed);
  const chance = 76 + random.below(64);
  const beatsPerMinute = tempo ?? chance;
  const key = { root: 45 + random.below(12), scale: random.pick(scales) };
  const chords = random.pick(progressions);
  // Two bars that come back make a melody of what would else be a row of notes.
  const motifs = [motif(random), motif(random)];
  const beat = 60 / beatsPerMinute;
  const notes: Note[] = [];
  for (let bar = 0; bar * beatsPerBar * beat < seconds; bar++) {
    const chord = chords[bar % chords.length] ?? 0;
    const start = bar * beatsPerBar;
    const repeated = motifs[bar % 4 === 3 ? 1 : bar % 2];
    const own = bar % 8 === 7 || !repeated ? motif(random) : repeated;
    notes.push(...bass(key, chord, start, beat), ...melody(key, chord, start, beat, own));
  }
  notes.sort((a, b) => a.startSeconds - b.startSeconds);
  return { beatsPerMinute, notes };
}

interface Key {
  /** MIDI number of its lowest tone. */
  readonly root: number;
  readonly scale: readonly number[];
}

type Motif = readonly { readonly beats: number; readonly step: number }[];

function motif(random: Random): Motif {
  let step = random.below(5);
  return random.pick(rhythms).map((beats) => {
    step = Math.min(9, Math.max(-2, step + random.below(5) - 2));
    return { beats, step };
  });
}

function melody(key: Key, chord: number, start: number, beat: number, bar: Motif): Note[] {
  let at = start;
  return bar.map(({ beats, step }, index) => {
    // The first tone of a bar is one of its chord's.
    const tone = index === 0 ? chord + 2 * Math.round(step / 2) : chord + step;
    const note = {
      startSeconds: at * beat,
      hertz: hertzOf(key, tone + 7),
      loudness: index === 0 ? 0.9 : 0.7,
      place: 0.3,
    };
    at += beats;
    return note;
  });
}

function bass(key: Key, chord: number, start: number, beat: number): Note[] {
  return [0, 2, 4, 2].map((step, index) => ({
    startSeconds: (start + index) * beat,
    hertz: hertzOf(key, chord + (index === 0 ? 0 : step)) / (index === 0 ? 2 : 1),
    loudness: index === 0 ? 0.8 : 0.4,
    place: -0.3,
  }));
}

/** The frequency of a step of the scale, which goes on above and below its octave. */
function hertzOf({ root, scale }: Key, step: number): number {
  const octave = Math.floor(step / scale.length);
  const semitone = scale[step - octave * scale.length] ?? 0;
  return 440 * 2 ** ((root + 12 * octave + semitone - 69) / 12);
}
