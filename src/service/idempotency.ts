/** A repeated Idempotency-Key returns the same result; a refused call frees its key. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../lib/json.js';
import type { EndpointId } from '../contract/index.js';
import type { Call, App } from './call.js';
import { badRequest, ServiceFailure } from './failure.js';
import { idempotency } from './store/tables.js';

export interface Claim {
  readonly accountId: string;
  /** Absent without a key: each such call is another one. */
  readonly key: string | undefined;
  readonly operation: EndpointId;
  readonly requestHash: string;
}

const maxKeyLength = 255;

/** The claim of a call; a repeated call must have the same `asked`. */
export function claimOf({ request, caller }: Call, operation: EndpointId, content: unknown): Claim {
  const key = request.headers.get('idempotency-key') ?? undefined;
  if (key === '' || (key !== undefined && key.length > maxKeyLength)) {
    const message = `the header Idempotency-Key must be 1 to ${maxKeyLength} characters long`;
    throw badRequest(message, 'idempotency-key');
  }
  return { accountId: caller.accountId, key, operation, requestHash: digestOf(content) };
}

/** SHA-256 of a JSON value, in hexadecimal, whatever the order of an object's fields. */
export function digestOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson({ value })).digest('hex');
}

export function earlierResult({ store }: App, claim: Claim): string | undefined {
  const { accountId, key, operation, requestHash } = claim;
  if (key === undefined) return undefined;
  const row = idempotency.find(store, { accountId, idempotencyKey: key });
  if (!row || (row.operation === operation && row.requestHash === requestHash)) return row?.result;
  const message = 'this Idempotency-Key belongs to another request: use a new key';
  throw new ServiceFailure(409, 'idempotency_key_reused', message);
}

/** Works once per key: the work, its money and its key are one transaction. */
export function once(app: App, claim: Claim, work: () => string): string {
  const { store } = app;
  return store.transaction(() => {
    const known = earlierResult(app, claim);
    if (known !== undefined) return known;
    const result = work();
    const { key: idempotencyKey, ...rest } = claim;
    if (idempotencyKey !== undefined) {
      idempotency.insert(store, { ...rest, idempotencyKey, result });
    }
    return result;
  });
}

/** Frees the key of a call without a result, unless it has another result by now. */
export function forget({ store }: App, { accountId, key }: Claim, result: string): void {
  if (key !== undefined) idempotency.remove(store, { accountId, idempotencyKey: key, result });
}
