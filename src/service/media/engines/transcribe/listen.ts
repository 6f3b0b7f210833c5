/** Says what a recording holds: its text when it is one of ours, else only its measures. */
import type { MeasuredAudio } from '../measure/types.js';
import { MediaRefusal } from '../refusal.js';
import type { ByteSource, MakeInput, MediaResult } from '../types.js';
import { readSpokenText } from '../voice/spoken-text.js';
import { loudnessOf } from './loudness.js';

export async function listen({ sources }: MakeInput): Promise<MediaResult> {
  const { audio } = sources;
  if (audio?.measured.kind !== 'audio') {
    throw new MediaRefusal('source_missing', 'there is no recording to write down');
  }
  const { text, isSpoken } = await heard(audio.bytes, audio.measured);
  return {
    files: [],
    resultText: text,
    resultMeta: { audioSeconds: audio.measured.seconds, isSpoken },
  };
}

export interface Heard {
  /** The text that is spoken, or a description of the sound. */
  readonly text: string;
  readonly isSpoken: boolean;
}

/** What a recording says, or how it sounds. */
export async function heard(source: ByteSource, measured: MeasuredAudio): Promise<Heard> {
  const spoken = await readSpokenText(source);
  if (spoken !== undefined) return { text: spoken, isSpoken: true };
  return { text: await describe(source, measured), isSpoken: false };
}

const names: Readonly<Record<string, string>> = {
  'audio/wav': 'WAV',
  'audio/mpeg': 'MP3',
  'audio/flac': 'FLAC',
  'audio/mp4': 'M4A',
};

async function describe(source: ByteSource, { mediaType, seconds }: MeasuredAudio) {
  const kind = names[mediaType] ?? mediaType;
  const level = await loudnessOf(source);
  return [
    '[No speech was recognised: the embedded service knows only the text of its own recordings,',
    `and measures the sound of others. This is ${seconds.toFixed(1)} s of ${kind};`,
    level
      ? `level ${decibels(level.level)}, peak ${decibels(level.peak)}, silence ${level.silentSeconds.toFixed(1)} s.]`
      : 'its level and silence were not measured, for it would have to be decoded.]',
  ].join(' ');
}

function decibels(part: number): string {
  return part === 0 ? 'none' : `${(20 * Math.log10(part)).toFixed(1)} dBFS`;
}
