/** Speech and transcription: POST /v1/audio/speech and /v1/audio/transcriptions. */
import { createSpeech, createTranscription, TranscriptionRequest } from '../contract/audio.js';
import { recordOf } from '../lib/json.js';
import { parse } from './body.js';
import { json, type Call, type Reply } from './call.js';
import { charge, jobUsage, recordHeader, toMicroRub } from './charge.js';
import { assertHolds, badRequest } from './failure.js';
import { claimOf, earlierResult, once, type Claim } from './idempotency.js';
import { measure } from './media/engines/measure.js';
import type { MediaModel, ModelJob, ModelRequest } from './media/engines/define.js';
import { describeRecording, transcribe } from './media/engines/transcribe.js';
import { madeFormats, spokenBytes, voice as voiceModel, VoiceOpts } from './media/engines/sound.js';
import type { ResolvedMedia } from './media/models.js';
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
  const asked = await call.json();
  const named = recordOf(asked)['response_format'] ?? 'wav';
  const format = madeFormats.find((one) => one === named);
  // The schema reports a value that is not a string.
  if (typeof named === 'string' && !format) {
    const asked = JSON.stringify(named.slice(0, 40));
    const message = `${voiceModel.id} supports ${madeFormats.join(', ')}, not ${asked}`;
    throw badRequest(message, 'response_format', 'unsupported_audio_format');
  }
  const body = parse(createSpeech.body, asked);
  const claim = claimOf(call, 'audio.speech', body);
  const route = await routeTo(call, body.model, voiceModel, 'speak');
  const opts = { voice: body.voice, speed: body.speed };
  const job = jobOf(route, { prompt: body.input, opts });
  const { voice, speed } = VoiceOpts.parse(job.effectiveOpts);
  const spoken = spokenBytes({ text: body.input, voice, speed }, format ?? 'wav');
  // A paid text is spoken again even after its voice was deleted.
  if (earlierResult(app, claim) === undefined) {
    assertVoice(app, caller.accountId, voice, { status: 400, param: 'voice' });
  }
  const headers = pay(call, claim, route, job.price({}).priceRub);
  noteUse(app, voice);
  const all = {
    ...headers,
    'content-type': spoken.mediaType,
    ...(spoken.byteLength && { 'content-length': String(spoken.byteLength) }),
  };
  return { status: 200, headers: Object.entries(all), body: spoken.bytes() };
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
      return json({ text }, 200, pay(call, claim, route, priceRub));
    });
  } finally {
    await app.media.folder.remove('files', name);
  }
}

async function routeTo(call: Call, name: string, model: Pick<MediaModel, 'id'>, does: string) {
  const found = await resolveSync(call, name, model, { does, code: 'model_unsuitable' });
  const { channel } = found;
  const works = channel.alias !== 'failing' && channel.alias !== 'refusing';
  const message = `the route ${model.id}:${channel.alias} failed, as it always does; nothing was charged`;
  assertHolds(works, 502, 'provider_failed', message);
  return found;
}

function jobOf({ model }: ResolvedMedia, request: ModelRequest): ModelJob {
  const { job, violations } = model.check(request);
  if (job) return job;
  const [first] = violations;
  const field = first?.field ?? '';
  const name = names[field] ?? field;
  const message = first?.message.replace(field, name) ?? 'the request is not valid for the model';
  throw badRequest(message, name);
}

/** Charges once per key; returns the header that names the record. */
function pay(call: Call, claim: Claim, { model, channel }: ResolvedMedia, priceRub: number) {
  const { app } = call;
  const facts = { model: model.id, channel: channel.alias, priceMicroRub: toMicroRub(priceRub) };
  const usage = jobUsage(app, facts, app.clock.now());
  const paid = once(app, claim, () => {
    charge(call, usage);
    return usage.id;
  });
  return recordHeader(app, paid);
}
