/**
 * Runs requests in a process of its own, which has its own environment: each argument is one, as
 * JSON. Prints what came of them, and which modules of Node they loaded.
 */
import * as z from 'zod/mini';
import { createTransport } from '../../src/http/attempt.js';
import { AttemptFailed } from '../../src/http/types.js';
import { textOf } from './text.js';

const ChildRequest = z.object({
  url: z.string(),
  method: z.optional(z.string()),
  body: z.optional(z.string()),
  /** A body of so many bytes, streamed. */
  bytes: z.optional(z.number()),
});
export type ChildRequest = z.output<typeof ChildRequest>;

const timeouts = { connectMs: 10_000, firstByteMs: 10_000, idleMs: 10_000 };

async function run(requests: readonly ChildRequest[]): Promise<readonly object[]> {
  const transport = createTransport({ env: process.env });
  const results: object[] = [];
  for (const { url, method = 'GET', body, bytes } of requests) {
    try {
      const response = await transport({
        method,
        url: new URL(url),
        headers: { 'x-secret': 'for the service alone' },
        body: bytes === undefined ? body : { length: bytes, open: () => zeros(bytes) },
        timeouts,
      });
      results.push({ status: response.status, text: await textOf(response) });
    } catch (error) {
      if (!(error instanceof AttemptFailed)) throw error;
      const { reason, sent, message } = error;
      results.push({ reason, sent, message });
    }
  }
  return results;
}

async function* zeros(length: number): AsyncIterable<Uint8Array> {
  const memory = Buffer.alloc(65_536);
  for (let at = 0; at < length; at += memory.length) {
    await Promise.resolve();
    yield memory.subarray(0, Math.min(memory.length, length - at));
  }
}

function loadedModules(): readonly string[] {
  const list: unknown = Reflect.get(process, 'moduleLoadList');
  return Array.isArray(list) ? list.map(String) : [];
}

const requests = process.argv.slice(2).map((text) => ChildRequest.parse(JSON.parse(text)));
void run(requests).then((results) => {
  process.stdout.write(JSON.stringify({ results, loaded: loadedModules() }));
});
