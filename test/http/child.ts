/**
 * Runs requests in a process of its own, which has its own environment: each argument is one, as
 * JSON. Prints what came of them, and which modules of Node they loaded.
 */
import * as z from 'zod/mini';
import { createTransport } from '../../src/http/attempt.js';
import { AttemptFailed } from '../../src/http/types.js';
import { textOf } from './text.js';

const ChildRequest = z.object({ url: z.string() });
export type ChildRequest = z.output<typeof ChildRequest>;

const timeouts = { connectMs: 10_000, firstByteMs: 10_000, idleMs: 10_000 };

async function run(requests: readonly ChildRequest[]): Promise<readonly object[]> {
  const transport = createTransport({ env: process.env });
  const results: object[] = [];
  for (const { url } of requests) {
    try {
      const response = await transport({
        method: 'GET',
        url: new URL(url),
        headers: { 'x-secret': 'for the service alone' },
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

function loadedModules(): readonly string[] {
  const list: unknown = Reflect.get(process, 'moduleLoadList');
  return Array.isArray(list) ? list.map(String) : [];
}

const requests = process.argv.slice(2).map((text) => ChildRequest.parse(JSON.parse(text)));
void run(requests).then((results) => {
  process.stdout.write(JSON.stringify({ results, loaded: loadedModules() }));
});
