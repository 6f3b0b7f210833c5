/** Gets URLs, its arguments, in an environment of its own; prints what came, and loaded modules. */
import { createTransport } from '../../src/http/attempt.js';
import { createPoolTransport } from '../../src/http/pool.js';
import { AttemptFailed } from '../../src/http/types.js';
import { textOf } from './text.js';

const timeouts = { connectMs: 10_000, firstByteMs: 10_000, idleMs: 10_000 };

async function run(urls: readonly string[]): Promise<readonly object[]> {
  const { env } = process;
  const pool = { env, baseUrl: new URL(urls[0] ?? ''), connections: 1 };
  const transport = env['POOL']
    ? (await createPoolTransport(pool)).transport
    : createTransport({ env });
  const results: object[] = [];
  for (const url of urls) {
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

void run(process.argv.slice(2)).then((results) => {
  process.stdout.write(JSON.stringify({ results, loaded: loadedModules() }));
});
