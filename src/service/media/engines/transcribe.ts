/** local/transcribe: the text of a recording by local/voice, or else its length. */
import * as z from 'zod/mini';
import { characters } from '../../../contract/fields.js';
import { transcription } from '../../../contract/limits.js';
import { mp3Pieces, tagFacts } from '../../../lib/audio/mp3.js';
import { exactly, type SizedSource } from '../../../lib/audio/source.js';
import { commentsIn, notesIn, readWav } from '../../../lib/audio/wav.js';
import { assertHolds } from '../../failure.js';
import { defineModel } from './define.js';
import { priceOfSeconds, wholeKopecks, type FileFacts } from './model.js';
import { voiceSoftware } from './recording.js';

const rubPerSecond = 0.02;
const spoken = 'The language spoken; has no effect here';

export const transcribe = defineModel({
  id: 'local/transcribe',
  kind: 'audio',
  summary: 'Returns the text of recordings by local/voice; only measures other recordings',
  slots: [{ kinds: ['audio'], purpose: 'the recording: WAV, MP3, FLAC or M4A' }],
  opts: {
    language: z.optional(characters(transcription.languageCharacters).check(z.describe(spoken))),
  },
  output: 'text',
  fromRub: wholeKopecks(rubPerSecond),
  priceAxes: ['audioSeconds'],
  defaultTookMs: 3000,
  price: (_, { audio }) => {
    const assumed = { seconds: 60, noun: 'a recording' };
    return priceOfSeconds(rubPerSecond, audio, assumed, 'audioSeconds');
  },
  make: async (_, { audio }) => {
    assertHolds(audio, 422, 'source_missing', 'there is no recording to transcribe');
    const { text, isSpoken } = await describeRecording(audio.bytes, audio);
    const resultMeta = { audioSeconds: audio.seconds, isSpoken };
    return { files: [], resultText: text, resultMeta };
  },
});

/** The text of a recording, or the length of one that was made elsewhere. */
export async function describeRecording(source: SizedSource, { ext, seconds = 0 }: FileFacts) {
  const spoken = await readSpokenText(source);
  const unknown = `[No speech was recognised: the embedded service knows only the text of its own recordings. This is ${seconds.toFixed(1)} s of ${ext.toUpperCase()}.]`;
  return { text: spoken ?? unknown, isSpoken: spoken !== undefined };
}

/** The text that local/voice stored in one file or several joined; undefined if truncated. */
export async function readSpokenText(source: SizedSource): Promise<string | undefined> {
  const start = (await exactly(source, 0, 4)).toString('latin1');
  if (start.startsWith('ID3')) return mp3Text(source);
  const { lists = [] } = (await readWav(source)) ?? {};
  const isOwn = notesIn(lists).some(({ name, text }) => name === 'ISFT' && text === voiceSoftware);
  return isOwn ? commentsIn(lists).join('') : undefined;
}

async function mp3Text(source: SizedSource): Promise<string | undefined> {
  // The text of each tag, and how much of its audio is missing.
  const parts: { words: string | undefined; missingMs: number }[] = [];
  for await (const { offset, byteLength, frame } of mp3Pieces(source)) {
    const last = parts.at(-1);
    if (frame && last) last.missingMs -= (frame.samples / frame.sampleRate) * 1000;
    // A larger tag does not contain our text.
    if (frame || byteLength > 1024 * 1024) continue;
    const tag = tagFacts(await exactly(source, offset, byteLength));
    const words = tag.software === voiceSoftware ? tag.words : undefined;
    parts.push({ words, missingMs: tag.milliseconds ?? Infinity });
  }
  // The text precedes the audio, so it is present even if the audio is not.
  const texts = parts.flatMap(({ words, missingMs }) => (missingMs > 0 ? [] : (words ?? [])));
  return texts.length > 0 ? texts.join('') : undefined;
}
