/** POST /v1/audio/speech: paid first, then made as fast as it is read. */
import { createSpeech } from '../../contract/audio.js';
import { byteStream } from '../byte-stream.js';
import type { Call } from '../call.js';
import { badRequest } from '../failure.js';
import { madeFormats, nativeFormat, spokenBytes } from '../media/engines/voice/formats.js';
import { voice as voiceModel, VoiceOpts } from '../media/engines/voice/voice.js';
import { demandVoice, noteUse } from '../voices/use.js';
import { jobOf, pay, routeTo } from './route.js';

const names = { prompt: 'input', 'opts.voice': 'voice', 'opts.speed': 'speed' };

export async function speech(call: Call): Promise<Response> {
  const { house, caller } = call;
  const body = await call.body(createSpeech.body);
  const route = await routeTo(call, body.model, voiceModel, 'speak');
  const opts = Object.fromEntries(
    Object.entries({ voice: body.voice, speed: body.speed }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  const job = jobOf(route, { prompt: body.input, opts }, names);
  const { voice, speed } = VoiceOpts.parse(job.effectiveOpts);
  const { response_format: format = nativeFormat } = body;
  const spoken = spokenBytes({ text: body.input, voice, speed }, format);
  if (!spoken) {
    throw badRequest(
      `${route.model.id} speaks as ${madeFormats.join(', ')}, and not as ${format}`,
      'response_format',
      'unsupported_audio_format',
    );
  }
  demandVoice(house, caller.accountId, voice, { status: 400, param: 'voice' });
  const headers = pay(call, route, job.price({}).priceRub);
  noteUse(house, voice);
  return new Response(byteStream(spoken.bytes()), {
    headers: {
      ...headers,
      'content-type': spoken.mediaType,
      ...(spoken.byteLength === undefined ? {} : { 'content-length': String(spoken.byteLength) }),
    },
  });
}
