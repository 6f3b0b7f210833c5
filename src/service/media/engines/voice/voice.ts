/** local/voice: speech as a job. */
import * as z from 'zod/mini';
import { speech, voice as voiceLimits } from '../../../../contract/limits.js';
import { defineModel } from '../define.js';
import { wholeKopecks } from '../money.js';
import { voiceNames } from './voices.js';

export const rubPerThousandCharacters = 8;

const anyVoice = { error: `must be ${voiceNames.join(', ')}, or the id of a cloned voice` };

const opts = {
  voice: z._default(
    z
      .union([
        z.enum(voiceNames),
        z
          .string(anyVoice)
          .check(z.regex(voiceLimits.id, anyVoice), z.describe('The id of a cloned voice')),
      ])
      .check(z.describe('Who speaks')),
    'alto',
  ),
  speed: z._default(
    z.number().check(z.gte(speech.speed.min), z.lte(speech.speed.max), z.describe('1 is normal')),
    1,
  ),
};

/** The options of a job, as it runs with them. */
export const VoiceOpts = z.object(opts);
export type VoiceOpts = z.output<typeof VoiceOpts>;

export const voice = defineModel({
  id: 'local/voice',
  kind: 'audio',
  title: 'Voice',
  summary: 'Speaks the prompt with a small synthesiser, each voice another',
  prompt: 'required',
  opts,
  fromRub: wholeKopecks(rubPerThousandCharacters / 1000),
  priceAxes: ['prompt'],
  defaultTookMs: 3000,
  price: ({ prompt }) => {
    const characters = Array.from(prompt).length;
    return {
      priceRub: wholeKopecks((rubPerThousandCharacters * characters) / 1000),
      isEstimate: false,
      breakdown: { rubPerThousandCharacters, characters },
    };
  },
  make: async (order) => (await import('./make.js')).makeSpeech(order),
});
