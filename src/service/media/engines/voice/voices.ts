/** Who can speak. */
import { randomFrom } from '../random.js';

export const voiceNames = ['alto', 'soprano', 'tenor', 'bass', 'robot', 'whisper'] as const;

export interface Voice {
  /** The pitch it speaks around. */
  readonly hertz: number;
  /** How far the pitch moves, as a part of it. */
  readonly melody: number;
  /** The size of the mouth: above 1 it is smaller, and all its tones higher. */
  readonly formants: number;
  /** 0 is a clear voice, 1 a whisper. */
  readonly breath: number;
  /** Sounds a second, as a factor. */
  readonly pace: number;
}

const known: Readonly<Record<(typeof voiceNames)[number], Voice>> = {
  alto: { hertz: 190, melody: 0.16, formants: 1.1, breath: 0.08, pace: 1 },
  soprano: { hertz: 255, melody: 0.2, formants: 1.2, breath: 0.05, pace: 1.1 },
  tenor: { hertz: 135, melody: 0.14, formants: 0.98, breath: 0.05, pace: 1.02 },
  bass: { hertz: 88, melody: 0.1, formants: 0.88, breath: 0.04, pace: 0.88 },
  robot: { hertz: 110, melody: 0, formants: 1, breath: 0, pace: 0.95 },
  whisper: { hertz: 150, melody: 0, formants: 1.05, breath: 1, pace: 0.92 },
};

/** A voice by its name; any other word, such as the id of a cloned voice, has one of its own. */
export function voiceOf(name: string): Voice {
  const found = Object.entries(known).find(([one]) => one === name);
  if (found) return found[1];
  const random = randomFrom('voice', name);
  return {
    hertz: random.between(85, 260),
    melody: random.between(0.05, 0.22),
    formants: random.between(0.86, 1.24),
    breath: random.between(0, 0.25),
    pace: random.between(0.88, 1.15),
  };
}
