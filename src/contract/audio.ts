/** Speech and transcription (sections 2.13 and 4.4). */
import * as z from 'zod/mini';
import { onceByKey, write } from './endpoint.js';
import { speechFormats } from './enums.js';
import * as limits from './limits.js';
import { characters } from './fields.js';

export const SpeechRequest = z.looseObject({
  model: z.string(),
  input: characters(limits.speech.inputCharacters),
  voice: z.optional(z.string()),
  response_format: z.optional(z.enum(speechFormats)),
  speed: z.optional(
    z.number().check(z.gte(limits.speech.speed.min), z.lte(limits.speech.speed.max)),
  ),
});

export const TranscriptionRequest = z.looseObject({
  model: z.string(),
  language: z.optional(characters(limits.transcription.languageCharacters)),
});

export const Transcription = z.looseObject({ text: z.string() });

export const createSpeech = write('audio.speech', '/v1/audio/speech', '4.4', {
  summary: 'Turn text into speech',
  body: SpeechRequest,
  headers: onceByKey,
  returns: 'bytes',
  bytesTypes: ['audio/*'],
  statuses: [200, 400, 401, 402, 502],
  moreStatuses: [404],
  statusNotes: { 400: 'invalid request or unsupported format' },
  paid: 'media',
  slow: true,
});

export const createTranscription = write('audio.transcription', '/v1/audio/transcriptions', '4.4', {
  summary: 'Transcribe a recording',
  body: TranscriptionRequest,
  bodyKind: 'multipart',
  files: { field: 'file', required: true, maxCount: 1, maxBytes: limits.transcription.fileBytes },
  headers: onceByKey,
  returns: Transcription,
  statuses: [200, 400, 401, 402, 502],
  moreStatuses: [404],
  paid: 'media',
  slow: true,
});
