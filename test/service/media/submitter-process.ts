/**
 * A process that sends jobs: store file, and how many. It says `open` once the service stands,
 * waits for a line on stdin, then sends each job under an Idempotency-Key of its own, looks at it
 * once, and says key and id. Every third job fails at its end, and every fifth is an image.
 */
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import * as z from 'zod/mini';
import { systemClock } from '../../../src/lib/clock.js';
import { createService, type Service } from '../../../src/service/service.js';

const [storePath = '', jobs = '0'] = process.argv.slice(2);
const Reply = z.object({ jobId: z.string() });

function call(service: Service, path: string, body?: object, headers = {}): Promise<Response> {
  return service.fetch(
    new Request(`http://any.example${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: 'Bearer sk-svc-local', ...headers },
      body: body ? JSON.stringify(body) : null,
    }),
  );
}

async function submit(): Promise<void> {
  const service = createService({ storePath, clock: systemClock, jobTimeMs: 0 });
  writeSync(1, 'open\n');
  await once(process.stdin, 'data');
  for (let i = 0; i < Number(jobs); i += 1) {
    const prompt = `job ${i}`;
    if (i % 5 === 0) await call(service, '/v1/images/generations', { model: 'canvas', prompt });
    const model = i % 3 === 0 ? 'canvas:failing' : 'canvas';
    const accepted = await call(
      service,
      '/api/media/generate',
      { model, prompt },
      { 'idempotency-key': `k${i}` },
    );
    const { jobId } = Reply.parse(await accepted.json());
    await (await call(service, `/api/media/jobs/${jobId}`)).text();
    writeSync(1, `k${i} ${jobId}\n`);
  }
  service.close();
  process.stdin.destroy();
}

submit().catch((error: unknown) => {
  writeSync(2, error instanceof Error ? `${error.name}: ${error.message}\n` : String(error));
  process.exitCode = 1;
});
