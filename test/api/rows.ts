/** Rows and input to call them with. */
import * as z from 'zod/mini';
import { write } from '../../src/contract/endpoint.js';

export const question = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] };
/** A reply to it. */
export const completion = { choices: [{ message: { role: 'assistant', content: 'hello' } }] };

/** A job that the service knows again by its token. */
export const idempotentRow = write('media.test', '/api/{brand}/start/{name}', '0', {
  summary: 'Start a job',
  retry: 'idempotent',
  body: z.strictObject({ size: z.optional(z.number().check(z.lte(4))) }),
  headers: { 'x-{brand}-strict': 'strict' },
  maxBodyBytes: 40,
  returns: z.looseObject({ jobId: z.string() }),
  statuses: [202, 502],
});
