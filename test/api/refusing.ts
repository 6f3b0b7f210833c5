/** Refusals of a few rows, as they are described. */
import { describeRefusal, type Refused } from '../../src/api/refusal.js';
import { brandFrom } from '../../src/contract/brand.js';
import type { ApiError } from '../../src/errors.js';

export const chat: Refused['row'] = {
  id: 'chat.create',
  auth: 'bearer',
  retry: 'never',
  statuses: [200, 401, 402, 429],
};
export const balance: Refused['row'] = {
  id: 'billing.balance',
  auth: 'bearer',
  retry: 'safe',
  statuses: [200, 401],
};
export const image: Refused['row'] = {
  id: 'images.create',
  auth: 'bearer',
  retry: 'never',
  statuses: [200, 502, 504],
  statusNotes: {
    502: 'generation failed, nothing charged',
    504: 'still running; x-{brand}-media-job-id names the job',
  },
};

/** A refusal in a form of the service itself. */
export const own = { ok: false, code: 'failed', message: 'It failed' };

export const brand = brandFrom('acme');
export const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5);

/** What a refusal says; of a call that charges nothing unless told otherwise. */
export function refuse(
  status: number,
  body: unknown = '',
  {
    row = balance,
    headers = {},
    ids = {},
  }: Partial<Refused> & { headers?: Record<string, string> } = {},
): ApiError {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const bytes = { bytes: Buffer.from(text), isCutShort: false };
  return describeRefusal({ status, headers }, bytes, { row, ids, brand, nowMs });
}
