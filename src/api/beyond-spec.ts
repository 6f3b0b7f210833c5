/** What the specification does not name: fields that most services accept, and Idempotency-Keys. */
import { randomUUID } from 'node:crypto';
import { getOpenApi } from '../contract/account.js';
import type { Endpoint } from '../contract/endpoint.js';
import { SvcError } from '../errors.js';
import { recordOf } from '../lib/json.js';
import { call } from './call.js';
import { withLimit, type Client } from './client.js';
import { refusesField } from './refusal.js';

/** Sends a request with such a field; without it once the service has refused the field's name. */
export async function withUnnamed<Result>(
  client: Client,
  name: RegExp,
  send: (isSent: boolean) => Promise<Result>,
): Promise<Result> {
  const refused = await client.refused?.();
  if (refused?.has(name.source)) return send(false);
  try {
    return await send(true);
  } catch (error) {
    if (!refusesField(error, name)) throw error;
    refused?.add(name.source);
    return send(false);
  }
}

export function newOnceKey(): OnceKey {
  return { key: randomUUID(), isKnown: false };
}

export interface OnceKey {
  readonly key: string;
  /** The service knows the key: the same request may be sent again with it. */
  readonly isKnown: boolean;
}

export function withKey<Row extends Endpoint>(row: Row, { key, isKnown }: OnceKey) {
  const retry = isKnown ? ('idempotent' as const) : row.retry;
  return { row: { ...row, retry }, headers: { 'idempotency-key': key } };
}

const timeLimitMs = 20_000;

/** Whether the service lists Idempotency-Keys for this endpoint. Rejects only when aborted. */
export async function supportsIdempotencyKeys(
  client: Client,
  { path, method }: Pick<Endpoint, 'path' | 'method'>,
): Promise<boolean> {
  try {
    // One attempt: a failure is waiting to be reported.
    const row = { ...getOpenApi, retry: 'never' as const };
    const { data } = await call(withLimit(client, timeLimitMs), row, {});
    const paths = recordOf(recordOf(data)['paths']);
    const operation = recordOf(recordOf(paths[client.brand.path(path)])[method.toLowerCase()]);
    return /"idempotency-key"/i.test(JSON.stringify(operation['parameters'] ?? []));
  } catch (error) {
    if (error instanceof SvcError && !client.signal.aborted) return false;
    throw error;
  }
}
