import { expect } from 'vitest';
import * as z from 'zod/mini';
import { Transcription } from '../../../src/contract/audio.js';
import { formRequest } from '../../helpers/form-request.js';
import { keys } from '../helpers.js';
import { origin, send, type Opened, type Sent } from '../media/helpers.js';

/** The body of a refusal. */
export const ErrorBody = z.object({
  error: z.looseObject({ code: z.string(), message: z.string(), param: z.nullable(z.string()) }),
});

/** Asks for speech, by local/voice unless told otherwise. */
export function say(opened: Opened, body: object, sent?: Sent): Promise<Response> {
  return send(opened, '/v1/audio/speech', { model: 'local/voice', ...body }, sent);
}

/** Speech that must be given. */
export async function spoken(opened: Opened, body: object, sent?: Sent) {
  const response = await say(opened, body, sent);
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(response.status, bytes.subarray(0, 500).toString()).toBe(200);
  return { response, bytes };
}

export interface Upload {
  readonly fields?: Readonly<Record<string, string>>;
  readonly fileName?: string;
  readonly key?: string;
}

/** Asks what a recording says. */
export async function transcribe(
  { service }: Pick<Opened, 'service'>,
  bytes: Uint8Array,
  {
    fields = { model: 'local/transcribe' },
    fileName = 'recording.bin',
    key = keys.local,
  }: Upload = {},
): Promise<Response> {
  const form = new FormData();
  form.set('file', new Blob([bytes]), fileName);
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  const url = `${origin}/v1/audio/transcriptions`;
  return service.fetch(await formRequest(url, form, { authorization: `Bearer ${key}` }));
}

/** What a recording says; there must be an answer. */
export async function transcriptOf(
  opened: Opened,
  bytes: Uint8Array,
  upload?: Upload,
): Promise<string> {
  const response = await transcribe(opened, bytes, upload);
  const reply: unknown = await response.json();
  expect(response.status, JSON.stringify(reply)).toBe(200);
  return Transcription.parse(reply).text;
}
