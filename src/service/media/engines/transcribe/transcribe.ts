/** local/transcribe: what a recording says, when it was made by local/voice. */
import * as z from 'zod/mini';
import { transcription } from '../../../../contract/limits.js';
import { characters } from '../../../../contract/fields.js';
import { defineModel } from '../define.js';
import { estimate, wholeKopecks } from '../money.js';

const rubPerSecond = 0.02;
const assumedSeconds = 60;

const opts = {
  language: z.optional(
    characters(transcription.languageCharacters).check(
      z.describe('What is spoken; taken, and of no effect here'),
    ),
  ),
};

export const transcribe = defineModel({
  id: 'local/transcribe',
  kind: 'audio',
  title: 'Transcribe',
  summary:
    'Reads the text that local/voice wrote into its own files; of any other recording it only measures the sound',
  prompt: 'optional',
  slots: [{ kinds: ['audio'], purpose: 'the recording: WAV, MP3, FLAC or M4A' }],
  opts,
  output: 'text',
  fromRub: wholeKopecks(rubPerSecond),
  priceAxes: ['audioSeconds'],
  defaultTookMs: 3000,
  price: (_, { audio }) => {
    const seconds = audio?.kind === 'audio' ? audio.seconds : assumedSeconds;
    return {
      priceRub: wholeKopecks(rubPerSecond * seconds),
      ...estimate(audio, `a recording of ${assumedSeconds} seconds`),
      breakdown: { rubPerSecond, seconds },
      ...(audio ? { audioSeconds: seconds } : {}),
    };
  },
  make: async (_, input) => (await import('./listen.js')).listen(input),
});
