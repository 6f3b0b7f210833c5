/** Cloned voices, and which one a word means (sections 2.14 and 4.5). */
import type * as z from 'zod/mini';
import * as rows from '../contract/voices.js';
import { ApiError, UsageError } from '../errors.js';
import { AttemptFailed, type Transport } from '../http/types.js';
import { nearest } from '../lib/names.js';
import { plainText } from '../lib/plain-text.js';
import { call } from './call.js';
import type { Client } from './client.js';
import { withKey, type OnceKey } from './beyond-spec.js';
import type { Payload } from './prepare.js';

export type VoiceList = z.output<typeof rows.VoiceList>;
export type Voice = VoiceList['voices'][number];
export type VoiceCreated = z.output<typeof rows.VoiceCreated>;
export type VoiceSamplesAdded = z.output<typeof rows.VoiceSamplesAdded>;

/** A body to be validated, and the payload that is sent, with the recordings in it. */
export interface VoicePayload<Body> {
  readonly body: Body;
  readonly payload: Payload;
}

/** With the prices as they came. @throws what `call` throws. */
export async function listVoices(client: Client): Promise<VoiceList> {
  return (await call(client, rows.listVoices, {})).data;
}

/** Makes a voice, once for a key. @throws what `call` throws. */
export async function createVoice(
  client: Client,
  { body, payload }: VoicePayload<z.input<typeof rows.VoiceCreateRequest>>,
  key: OnceKey,
): Promise<VoiceCreated> {
  const { row, headers } = withKey(rows.createVoice, key);
  return (await call(client, row, { body }, { payload, headers })).data;
}

/** Adds recordings to a voice, once. @throws what `call` throws. */
export async function addVoiceSamples(
  client: Client,
  id: string,
  { body, payload }: VoicePayload<z.input<typeof rows.VoiceSamplesRequest>>,
): Promise<VoiceSamplesAdded> {
  return (await call(client, rows.addVoiceSamples, { params: { id }, body }, { payload })).data;
}

/** @returns undefined where an attempt whose answer got lost deleted it: the next finds no voice. */
export async function deleteVoice(client: Client, id: string): Promise<unknown> {
  let unknownOutcomes = 0;
  const transport: Transport = async (request) => {
    try {
      const response = await client.transport(request);
      // The pace is judged before any work is done.
      if (![404, 429].includes(response.status)) unknownOutcomes += 1;
      return response;
    } catch (error) {
      if (error instanceof AttemptFailed && error.sent) unknownOutcomes += 1;
      throw error;
    }
  };
  try {
    return (await call({ ...client, transport }, rows.deleteVoice, { params: { id } })).data;
  } catch (error) {
    const isGone = error instanceof ApiError && error.status === 404;
    if (isGone && unknownOutcomes > 0) return undefined;
    throw error;
  }
}

/** The voice with this id, or those with this name; case counts only where names differ in nothing else. */
export function voicesCalled(voices: readonly Voice[], idOrName: string): readonly Voice[] {
  const byId = voices.filter(({ id }) => id === idOrName);
  if (byId.length > 0) return byId;
  const byName = voices.filter(({ name }) => name === idOrName);
  if (byName.length > 0) return byName;
  const lower = idOrName.toLowerCase();
  return voices.filter(({ name }) => name?.toLowerCase() === lower);
}

/** @throws UsageError when there is none, naming the nearest, or when several share the name. */
export function findVoice(voices: readonly Voice[], idOrName: string): Voice {
  const found = voicesCalled(voices, idOrName);
  const [voice] = found;
  if (!voice) {
    const words = voices.flatMap(({ id, name }) => [id, ...(name ? [name] : [])]);
    const meant = nearest(idOrName, words);
    const guess = meant === undefined ? '' : `; did you mean ${quoted(meant)}?`;
    throw new UsageError(`you have no voice ${quoted(idOrName)}${guess}`, {
      code: 'unknown_voice',
      hint: 'list them: `svc voices list`',
    });
  }
  if (found.length === 1) return voice;
  const ids = found.map(({ id }) => plainText(id, 40)).join(', ');
  throw new UsageError(`several voices are named ${quoted(idOrName)}: ${ids}`, {
    code: 'ambiguous_voice',
    hint: 'use the id of the voice: `svc voices list`',
  });
}

export function quoted(text: string): string {
  return `"${plainText(text, 80)}"`;
}
