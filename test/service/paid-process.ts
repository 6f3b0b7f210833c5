/**
 * A process that calls every paid row that is sent once: store file, and how often. It says `open`
 * once the service stands, waits for a line on stdin, then calls each row under an Idempotency-Key
 * of its own and says the key and what was answered.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import * as z from 'zod/mini';
import { systemClock } from '../../src/lib/clock.js';
import { createService, type Service } from '../../src/service/service.js';
import { paidRows } from './paid-rows.js';

const [storePath = '', times = '0'] = process.argv.slice(2);
const Started = z.object({ jobId: z.string() });
/** An account has no room for more. */
const mostVoices = 4;

async function film(service: Service): Promise<string> {
  const opts = { seconds: 1, resolution: '480p', aspect_ratio: '1:1' };
  const response = await service.fetch(
    new Request('http://any.example/api/media/generate', {
      method: 'POST',
      headers: { authorization: 'Bearer sk-svc-local', 'idempotency-key': 'film' },
      body: JSON.stringify({ model: 'reel', prompt: 'a lighthouse', opts }),
    }),
  );
  return Started.parse(await response.json()).jobId;
}

async function run(): Promise<void> {
  const service = createService({ storePath, clock: systemClock, jobTimeMs: 0 });
  writeSync(1, 'open\n');
  await once(process.stdin, 'data');
  const taskId = await film(service);
  for (let i = 0; i < Number(times); i += 1) {
    for (const { id, call } of paidRows) {
      if (id === 'voices.create' && i >= mostVoices) continue;
      const response = await call(service, { key: `${id}-${i}`, taskId });
      const record = response.headers.get('x-svc-generation-id') ?? 'none';
      const body = createHash('sha256').update(Buffer.from(await response.arrayBuffer()));
      writeSync(1, `${id}-${i} ${response.status} ${record} ${body.digest('hex')}\n`);
    }
  }
  service.close();
  process.stdin.destroy();
}

run().catch((error: unknown) => {
  writeSync(2, error instanceof Error ? `${error.name}: ${error.message}\n` : String(error));
  process.exitCode = 1;
});
