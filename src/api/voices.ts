/** Cloned voices, and finding one by id or name (sections 2.14 and 4.5). */
import type * as z from 'zod/mini';
import * as rows from '../contract/voices.js';
import { isRefusal, UsageError } from '../errors.js';
import { AttemptFailed, type Transport } from '../http/types.js';
import { folded, meantBy, nearest } from '../lib/names.js';
import { plainText } from '../lib/plain-text.js';
import { call } from './call.js';
import type { Client } from './client.js';
import { withKey, type OnceKey } from './beyond-spec.js';
import type { Payload } from './prepare.js';

export type VoiceList = z.output<typeof rows.VoiceList>;
export type Voice = VoiceList['voices'][number];
export type VoiceCreated = z.output<typeof rows.VoiceCreated>;
export type VoiceSamplesAdded = z.output<typeof rows.VoiceSamplesAdded>;

/** A body to validate, and the payload to send, which contains the recordings. */
export interface VoicePayload<Body> {
  readonly body: Body;
  readonly payload: Payload;
}

export async function listVoices(client: Client): Promise<VoiceList> {
  return (await call(client, rows.listVoices, {})).data;
}

export async function createVoice(
  client: Client,
  { body, payload }: VoicePayload<z.input<typeof rows.VoiceCreateRequest>>,
  key: OnceKey,
): Promise<VoiceCreated> {
  const { row, headers } = withKey(rows.createVoice, key);
  return (await call(client, row, { body }, { payload, headers })).data;
}

export async function addVoiceSamples(
  client: Client,
  id: string,
  { body, payload }: VoicePayload<z.input<typeof rows.VoiceSamplesRequest>>,
): Promise<VoiceSamplesAdded> {
  return (await call(client, rows.addVoiceSamples, { params: { id }, body }, { payload })).data;
}

/** Undefined if an attempt without an answer deleted it: the next attempt finds no voice. */
export async function deleteVoice(client: Client, id: string): Promise<unknown> {
  let unknownOutcomes = 0;
  const transport: Transport = async (request) => {
    try {
      const response = await client.transport(request);
      // The rate limit is checked before any work is done.
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
    if (isRefusal(error, 404) && unknownOutcomes > 0) return undefined;
    throw error;
  }
}

/** The voice with this id, or those with this name, exact case first; else those whose id starts so. */
export function voicesCalled(voices: readonly Voice[], idOrName: string): readonly Voice[] {
  const byId = voices.filter(({ id }) => id === idOrName);
  if (byId.length > 0) return byId;
  const byName = voices.filter(({ name }) => name === idOrName);
  if (byName.length > 0) return byName;
  const target = folded(idOrName).toLowerCase();
  const alike = voices.filter(({ name }) => name && folded(name).toLowerCase() === target);
  if (alike.length > 0) return alike;
  const madeAt = ({ created_at: at }: Voice) => Date.parse(at ?? '') || 0;
  return meantBy(idOrName, {
    newest: () => voices.toSorted((one, other) => madeAt(other) - madeAt(one)).slice(0, 1),
    startingWith: (start) => voices.filter(({ id }) => id.startsWith(start)),
  });
}

/** @throws UsageError for an unknown voice, with the nearest name, or for an ambiguous name. */
export function findVoice(voices: readonly Voice[], idOrName: string): Voice {
  const matches = voicesCalled(voices, idOrName);
  const [voice] = matches;
  if (!voice) {
    const words = voices.flatMap(({ id, name }) => [id, ...(name ? [name] : [])]);
    const meant = nearest(idOrName, words);
    const guess = meant === undefined ? '' : `; did you mean ${quoted(meant)}?`;
    throw new UsageError(`you have no voice ${quoted(idOrName)}${guess}`, {
      code: 'unknown_voice',
      hint: 'list them: `svc voices list`',
    });
  }
  if (matches.length === 1) return voice;
  const ids = matches.map(({ id }) => plainText(id, 40)).join(', ');
  throw new UsageError(`several voices are named ${quoted(idOrName)}: ${ids}`, {
    code: 'ambiguous_voice',
    hint: 'use the id of the voice: `svc voices list`',
  });
}

export function quoted(text: string): string {
  return `"${plainText(text, 80)}"`;
}
