/** Cloned voices (sections 2.14 and 4.5). */
import * as z from 'zod/mini';
import { onceByKey, read, write } from './endpoint.js';
import { feeCurrencies, voiceEngines, voiceStatuses } from './enums.js';
import * as limits from './limits.js';
import { MediaError, knownWord, maybe, notShown, httpsUrl, text, number, flag } from './fields.js';

/** The size of a recording in base64, with or without the prefix of a data: URI. */
function decodedBytes(base64: string): number {
  const start = base64.startsWith('data:') ? base64.indexOf(',') + 1 : 0;
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  return Math.floor(((base64.length - start) * 3) / 4) - padding;
}

const AudioBase64 = z.string().check(
  z.refine((audio) => decodedBytes(audio) <= limits.voice.sampleBytes, {
    error: `must have at most ${limits.voice.sampleBytes / limits.bytesPerMb} MB`,
  }),
);

/** Section 2.14: a wav or mp3 recording, by link or inline. */
const recording = { audio_url: z.optional(httpsUrl()), audio_base64: z.optional(AudioBase64) };
const onlyOne = 'must have exactly one of audio_url and audio_base64';
const VoiceSample = z
  .looseObject(recording)
  .check(z.refine((sample) => recordingsIn(sample) === 1, { error: onlyOne }));

interface Recordings {
  audio_url?: string;
  audio_base64?: string;
  samples?: readonly Omit<Recordings, 'samples'>[];
}

function recordingsIn({ audio_url, audio_base64, samples = [] }: Recordings): number {
  return Number(audio_url !== undefined) + Number(audio_base64 !== undefined) + samples.length;
}

/** Only inline recordings can be measured here; the service measures the linked ones. */
function fitsInAll({ audio_base64, samples = [] }: Recordings): boolean {
  const inline = [audio_base64, ...samples.map((sample) => sample.audio_base64)];
  const bytes = inline.reduce((sum, audio) => sum + (audio ? decodedBytes(audio) : 0), 0);
  return bytes <= limits.voice.totalBytes;
}

const Samples = z
  .array(VoiceSample)
  .check(z.minLength(limits.voice.samples.min), z.maxLength(limits.voice.samples.max));
const totalError = `must have at most ${limits.voice.totalBytes / limits.bytesPerMb} MB of recordings in all`;

export const VoiceCreateRequest = z
  .looseObject({
    name: z.string(),
    consent: z.literal(true),
    engine: z.optional(z.enum(voiceEngines)),
    ...recording,
    samples: z.optional(Samples),
    remove_background_noise: z.optional(z.boolean()),
  })
  .check(
    z.refine((voice) => recordingsIn(voice) > 0, {
      error: 'must have a recording: audio_url, audio_base64 or samples',
    }),
    z.refine((voice) => voice.audio_url === undefined || voice.audio_base64 === undefined, {
      error: 'must have only one of audio_url and audio_base64',
    }),
    z.refine((voice) => recordingsIn(voice) <= 1 || voice.engine === 'extvoice', {
      error: 'must have the engine extvoice for more than one recording',
    }),
    z.refine((voice) => recordingsIn(voice) <= limits.voice.samples.max, {
      error: `must have at most ${limits.voice.samples.max} recordings`,
    }),
    z.refine(fitsInAll, { error: totalError }),
  );

export const VoiceSamplesRequest = z
  .looseObject({ samples: Samples, remove_background_noise: z.optional(z.boolean()) })
  .check(z.refine(fitsInAll, { error: totalError }));

const Voice = z.looseObject({
  id: z.string(),
  name: text,
  engine: knownWord(voiceEngines),
  created_at: text,
  sample_seconds: number,
  last_used_at: text,
  monthly_fee: maybe(z.looseObject({ amount: number, currency: knownWord(feeCurrencies) })),
  next_charge_at: text,
  status: knownWord(voiceStatuses),
  deletion_at: text,
});

/** Section 4.5: the contents of pricing are not shown. */
export const VoiceList = z.looseObject({ voices: z.array(Voice), pricing: notShown() });

export const VoiceCreated = z.looseObject({
  ok: flag,
  voice: Voice,
  charged: maybe(z.looseObject({ amount: number, currency: text })),
});

export const VoiceSamplesAdded = z.looseObject({
  ok: flag,
  voice: maybe(Voice),
  samples_added: number,
  sample_count: number,
});

export const listVoices = read('voices.list', '/api/media/voices', '4.5', {
  summary: 'List the cloned voices',
  returns: VoiceList,
  refusal: MediaError,
});

export const createVoice = write('voices.create', '/api/media/voices', '4.5', {
  summary: 'Clone a voice',
  body: VoiceCreateRequest,
  headers: onceByKey,
  maxBodyBytes: limits.voice.bodyBytes,
  returns: VoiceCreated,
  refusal: MediaError,
  statuses: [201, 401, 409, 413, 422],
  moreStatuses: [402],
  paid: 'voice',
  statusNotes: { 409: 'voice_slots_full', 413: 'payload_too_large' },
  slow: true,
});

export const deleteVoice = write('voices.delete', '/api/media/voices/{id}', '4.5', {
  summary: 'Delete a cloned voice, at the supplier too',
  method: 'DELETE',
  retry: 'safe',
  params: { id: 'voice_ and 20 letters or digits' },
  refusal: MediaError,
  statuses: [200, 401, 404],
  statusNotes: { 404: 'voice_not_found: unknown, already deleted, or of another client' },
});

export const addVoiceSamples = write('voices.addSamples', '/api/media/voices/{id}/samples', '4.5', {
  summary: 'Add recordings to an extvoice voice',
  params: { id: 'voice_ and 20 letters or digits' },
  body: VoiceSamplesRequest,
  maxBodyBytes: limits.voice.bodyBytes,
  returns: VoiceSamplesAdded,
  refusal: MediaError,
  statuses: [200, 401, 404, 409, 413, 422, 429, 502],
  statusNotes: {
    404: 'voice_not_found',
    409: 'voice_samples_unsupported: a standard or premium voice',
    413: 'payload_too_large',
    429: 'voice_samples_rate_limited',
    502: 'voice_samples_failed: the supplier refused, the voice is unchanged',
  },
  slow: true,
});
