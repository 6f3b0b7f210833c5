/** POST /v1/audio/speech: paid first, then made as fast as it is read. */
import { createSpeech } from '../../contract/audio.js';
import { byteStream } from '../byte-stream.js';
import type { Call } from '../call.js';
import { recordOf } from '../../lib/json.js';
import { badRequest } from '../failure.js';
import { claimOf, earlier } from '../idempotency.js';
import {
  isMade,
  madeFormats,
  nativeFormat,
  spokenBytes,
  voice as voiceModel,
  VoiceOpts,
  type MadeFormat,
} from '../media/engines/sound.js';
import { parse } from '../parse.js';
import { demandVoice, noteUse } from '../voices/use.js';
import { jobOf, pay, routeTo } from './route.js';

const names = { prompt: 'input', 'opts.voice': 'voice', 'opts.speed': 'speed' };

export async function speech(call: Call): Promise<Response> {
  const { house, caller } = call;
  const asked = await call.json();
  const format = formatIn(asked);
  const body = parse(createSpeech.body, asked);
  const claim = claimOf(call, 'audio.speech', body);
  const route = await routeTo(call, body.model, voiceModel, 'speak');
  const opts = Object.fromEntries(
    Object.entries({ voice: body.voice, speed: body.speed }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  const job = jobOf(route, { prompt: body.input, opts }, names);
  const { voice, speed } = VoiceOpts.parse(job.effectiveOpts);
  const spoken = spokenBytes({ text: body.input, voice, speed }, format);
  // What is paid is spoken again though the voice be gone.
  if (earlier(house, claim) === undefined) {
    demandVoice(house, caller.accountId, voice, { status: 400, param: 'voice' });
  }
  const headers = pay(call, claim, route, job.price({}).priceRub);
  noteUse(house, voice);
  return new Response(byteStream(spoken.bytes()), {
    headers: {
      ...headers,
      'content-type': spoken.mediaType,
      ...(spoken.byteLength === undefined ? {} : { 'content-length': String(spoken.byteLength) }),
    },
  });
}

/**
 * The format that a request names; of one that is no word at all, the schema tells.
 * @throws ServiceFailure 400 for any other, known to the specification or not
 */
function formatIn(asked: unknown): MadeFormat {
  const format = recordOf(asked)['response_format'] ?? nativeFormat;
  if (isMade(format)) return format;
  if (typeof format !== 'string') return nativeFormat;
  throw badRequest(
    `${voiceModel.id} speaks as ${madeFormats.join(', ')}, and not as ${JSON.stringify(format.slice(0, 40))}`,
    'response_format',
    'unsupported_audio_format',
  );
}
