/** local/transcribe: what a recording says, when local/voice made it; else how it sounds. */
import * as z from 'zod/mini';
import { characters } from '../../../contract/fields.js';
import { transcription } from '../../../contract/limits.js';
import { tagFacts } from '../../../lib/audio/mp3.js';
import { exactly, type SizedSource } from '../../../lib/audio/source.js';
import { commentsIn, notesIn, readWav } from '../../../lib/audio/wav.js';
import { assertHolds } from '../../failure.js';
import { defineModel, priceOfSeconds, wholeKopecks, type Measured } from './define.js';
import { mp3Pieces, soundIn, voiceSoftware, type Mp3Piece } from './recording.js';

const rubPerSecond = 0.02;

export const transcribe = defineModel({
  id: 'local/transcribe',
  kind: 'audio',
  title: 'Transcribe',
  summary:
    'Reads the text that local/voice wrote into its own files; of any other recording it only measures the sound',
  prompt: 'optional',
  slots: [{ kinds: ['audio'], purpose: 'the recording: WAV, MP3, FLAC or M4A' }],
  opts: {
    language: z.optional(
      characters(transcription.languageCharacters).check(
        z.describe('What is spoken; taken, and of no effect here'),
      ),
    ),
  },
  output: 'text',
  fromRub: wholeKopecks(rubPerSecond),
  priceAxes: ['audioSeconds'],
  defaultTookMs: 3000,
  price: (_, { audio }) => ({
    ...priceOfSeconds(rubPerSecond, audio, 60, 'a recording'),
    ...(audio && { audioSeconds: audio.seconds }),
  }),
  make: async (_, { audio }) => {
    assertHolds(audio, 422, 'source_missing', 'there is no recording to write down');
    const { text, isSpoken } = await heard(audio.bytes, audio);
    const resultMeta = { audioSeconds: audio.seconds, isSpoken };
    return { files: [], resultText: text, resultMeta };
  },
});

/** What a recording says; where that is not known, how it sounds. */
export async function heard(source: SizedSource, { ext, seconds = 0 }: Measured) {
  const spoken = await readSpokenText(source);
  if (spoken !== undefined) return { text: spoken, isSpoken: true };
  const sound = await loudnessOf(source);
  const decibels = (part: number) =>
    part === 0 ? 'none' : `${(20 * Math.log10(part)).toFixed(1)} dBFS`;
  const level = sound
    ? `level ${decibels(sound.level)}, peak ${decibels(sound.peak)}, silence ${sound.silentSeconds.toFixed(1)} s.]`
    : 'its level and silence were not measured, for it would have to be decoded.]';
  const unknown = `[No speech was recognised: the embedded service knows only the text of its own recordings, and measures the sound of others. This is ${seconds.toFixed(1)} s of ${ext.toUpperCase()}`;
  return { text: `${unknown}; ${level}`, isSpoken: false };
}

/** The text of local/voice in its file, or in several joined; undefined where it was cut short. */
export async function readSpokenText(source: SizedSource): Promise<string | undefined> {
  const start = (await exactly(source, 0, 4)).toString('latin1');
  if (start.startsWith('ID3')) return mp3Text(source);
  const { lists = [] } = (await readWav(source)) ?? {};
  const isOwn = notesIn(lists).some(({ name, text }) => name === 'ISFT' && text === voiceSoftware);
  return isOwn ? commentsIn(lists).join('') : undefined;
}

async function mp3Text(source: SizedSource): Promise<string | undefined> {
  // Each tag, with the samples of the frames after it.
  const parts: Mp3Piece[] = [];
  for await (const piece of mp3Pieces(source)) {
    const part = piece.samples > 0 ? parts.pop() : undefined;
    if (part) parts.push({ ...part, samples: part.samples + piece.samples });
    else if (piece.samples === 0) parts.push(piece);
  }
  const texts: string[] = [];
  for (const { offset, byteLength, samples, sampleRate } of parts) {
    // A tag larger than this holds no text of ours.
    if (byteLength > 1024 * 1024) continue;
    const tag = tagFacts(await exactly(source, offset, byteLength));
    const { software, words, milliseconds = Infinity } = tag;
    // The text comes before the sound, so it is there even when the sound is not.
    const isWhole = (samples / sampleRate) * 1000 >= milliseconds;
    if (software === voiceSoftware && isWhole && words !== undefined) texts.push(words);
  }
  return texts.length > 0 ? texts.join('') : undefined;
}

/** -50 dBFS: as loud as a whisper's hiss. */
const silentBelow = 10 ** (-50 / 20);

/** How loud a WAV file is, 0 to 1, and how long it is silent; undefined where it is packed. */
export async function loudnessOf(source: SizedSource) {
  const sound = await soundIn(source);
  if (!sound) return undefined;
  // Samples that are together silent or not: 0.1 s at 8 kHz, and less at higher rates.
  const stretch = 800 * sound.channels;
  let [squares, peak, silent] = [0, 0, 0];
  for await (const piece of sound.pieces()) {
    for (let at = 0; at < piece.length; at += stretch) {
      const part = piece.subarray(at, at + stretch);
      const energy = part.reduce((sum, sample) => sum + sample ** 2, 0);
      squares += energy;
      peak = part.reduce((most, sample) => Math.max(most, Math.abs(sample)), peak);
      if (Math.sqrt(energy / part.length) < silentBelow) silent += part.length;
    }
  }
  const level = Math.sqrt(squares / Math.max(1, sound.frames * sound.channels));
  return { level, peak, silentSeconds: silent / sound.channels / sound.sampleRate };
}
