import { expect } from 'vitest';
import { Transcription } from '../../../src/contract/audio.js';
import { ask, formOf, read } from '../helpers.js';
import { send, type Opened, type Sent } from '../media/helpers.js';

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
  readonly fields?: Readonly<Record<string, string | undefined>>;
  readonly fileName?: string;
}

/** Asks what a recording says. */
export function transcribe(
  opened: Opened,
  bytes: Uint8Array,
  { fields = { model: 'local/transcribe' }, fileName = 'recording.bin' }: Upload = {},
): Promise<Response> {
  const body = formOf({ ...fields, file: new File([bytes], fileName) });
  return ask(opened, '/v1/audio/transcriptions', { body });
}

/** What a recording says; there must be an answer. */
export async function transcriptOf(
  opened: Opened,
  bytes: Uint8Array,
  upload?: Upload,
): Promise<string> {
  return (await read(transcribe(opened, bytes, upload), Transcription)).text;
}
