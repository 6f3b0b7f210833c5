/** Speech and transcription: POST /v1/audio/speech and /v1/audio/transcriptions. */
import { createSpeech, createTranscription, TranscriptionRequest } from '../contract/audio.js';
import { recordOf } from '../lib/json.js';
import { parse } from './body.js';
import { json, type Call, type Reply } from './call.js';
import { charge, jobUsage, toMicroRub } from './charge.js';
import { assertHolds, badRequest } from './failure.js';
import { claimOf, earlierResult, once, type Claim } from './idempotency.js';
import { measure } from './media/engines/measure.js';
import type { MediaModel, ModelJob, ModelRequest } from './media/engines/model.js';
import { describeRecording, transcribe } from './media/engines/transcribe.js';
import {
  speechFormats,
  spokenBytes,
  voice as voiceModel,
  VoiceOpts,
} from './media/engines/sound.js';
import type { MediaRoute } from './media/models.js';
import { receiveFile, withFile } from './media/sources.js';
import { resolveSync } from './models.js';
import { assertVoice, noteUse } from './voices/fees.js';

/** The requests' names of fields that the models name differently. */
const names: Readonly<Record<string, string>> = {
  prompt: 'input',
  'opts.voice': 'voice',
  'opts.speed': 'speed',
  'opts.language': 'language',
};

/** Charged first, then made as fast as it is read. */
export async function speech(call: Call): Promise<Reply> {
  const { app, caller } = call;
  const json = await call.json();
  const name = recordOf(json)['response_format'] ?? 'wav';
  const format = speechFormats.find((one) => one === name);
  // The schema reports a value that is not a string.
  if (typeof name === 'string' && !format) {
    const shown = JSON.stringify(name.slice(0, 40));
    const message = `${voiceModel.id} supports ${speechFormats.join(', ')}, not ${shown}`;
    throw badRequest(message, 'response_format', 'unsupported_audio_format');
  }
  const { model, input, ...opts } = parse(createSpeech.body, json);
  const claim = claimOf(call, 'audio.speech', { model, input, ...opts });
  const route = await routeTo(call, model, voiceModel, 'speak');
  const job = jobOf(route, { prompt: input, opts: { voice: opts.voice, speed: opts.speed } });
  const { voice, speed } = VoiceOpts.parse(job.effectiveOpts);
  const spoken = spokenBytes({ text: input, voice, speed }, format ?? 'wav');
  // A paid text is spoken again even after its voice was deleted.
  if (earlierResult(app, claim) === undefined) {
    assertVoice(app, caller.accountId, voice, { status: 400, param: 'voice' });
  }
  pay(call, claim, route, job.price({}).priceRub);
  noteUse(app, voice);
  const length = spoken.byteLength && { 'content-length': String(spoken.byteLength) };
  const headers = { 'content-type': spoken.mediaType, ...length };
  return { status: 200, headers, body: spoken.bytes() };
}

const { field } = createTranscription.files;

/** The recording is on disk while it is read. */
export async function transcription(call: Call): Promise<Reply> {
  const { app } = call;
  // If this process dies, the file is removed with other leftover parts.
  const name = `heard_${app.newId()}.part`;
  try {
    const { fields, byteLength, sha256 } = await receiveFile(call, name, createTranscription.files);
    const { model, language } = parse(TranscriptionRequest, fields);
    const claim = claimOf(call, 'audio.transcription', { fields, sha256 });
    const route = await routeTo(call, model, transcribe, 'transcribe recordings');
    return await withFile(app, name, byteLength, async (source) => {
      const measured = await measure(source);
      if (measured?.kind !== 'audio') {
        const other = measured && `the ${field} is ${measured.mediaType}, not a recording`;
        const unknown = `the ${field} is not a WAV, FLAC, MP3 or M4A recording, or is damaged`;
        throw badRequest(other ?? unknown, field, 'invalid_audio');
      }
      const job = jobOf(route, { opts: { audio_file_id: name, language } });
      const { priceRub } = job.price({ audio: measured });
      const { text } = await describeRecording(source, measured);
      pay(call, claim, route, priceRub);
      return json({ text });
    });
  } finally {
    await app.folder.remove('files', name);
  }
}

async function routeTo(call: Call, name: string, model: Pick<MediaModel, 'id'>, does: string) {
  const route = await resolveSync(call, name, model, { does, code: 'model_unsuitable' });
  const { alias } = route.variant;
  const message = `the route ${model.id}:${alias} always fails; nothing was charged`;
  assertHolds(alias !== 'failing' && alias !== 'refusing', 502, 'provider_failed', message);
  return route;
}

function jobOf({ model }: MediaRoute, request: ModelRequest): ModelJob {
  const { job, violations } = model.check(request);
  if (job) return job;
  const [first] = violations;
  const field = first?.field ?? '';
  const name = names[field] ?? field;
  const message = first?.message.replace(field, name) ?? 'the request is not valid for the model';
  throw badRequest(message, name);
}

/** Charges once per key. */
function pay(call: Call, claim: Claim, { model, variant }: MediaRoute, priceRub: number) {
  const { app } = call;
  const facts = { model: model.id, channel: variant.alias, priceMicroRub: toMicroRub(priceRub) };
  const usage = jobUsage(app, facts, app.clock.now());
  call.usageId = once(app, claim, () => {
    charge(call, usage);
    return usage.id;
  });
}
