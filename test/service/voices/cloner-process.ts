/**
 * A process that clones voices: store file, its name, and the months between its rounds. It says
 * `open` once the service stands, then in each round makes a voice, lets a month pass and deletes
 * the voice again; it says a word for each that was answered.
 */
import { writeSync } from 'node:fs';
import * as z from 'zod/mini';
import { systemClock } from '../../../src/lib/clock.js';
import { createService, type Service } from '../../../src/service/service.js';
import { wav } from '../media/tones.js';

const [storePath = '', name = ''] = process.argv.slice(2);
const Created = z.object({ voice: z.object({ id: z.string() }) });
const monthMs = 31 * 24 * 60 * 60 * 1000;
const rounds = 400;

function call(service: Service, method: string, path: string, body?: object): Promise<Response> {
  return service.fetch(
    new Request(`http://any.example/api/media/voices${path}`, {
      method,
      headers: { authorization: 'Bearer sk-svc-local' },
      body: body ? JSON.stringify(body) : null,
    }),
  );
}

async function run(): Promise<void> {
  let months = 0;
  const clock = { ...systemClock, now: () => Date.now() + months * monthMs };
  const service = createService({ storePath, clock, openingBalanceRub: 1_000_000 });
  const audio_base64 = Buffer.from(wav(1)).toString('base64');
  writeSync(1, 'open\n');
  for (let round = 0; round < rounds; round += 1) {
    const response = await call(service, 'POST', '', { name, consent: true, audio_base64 });
    if (response.status === 201) {
      writeSync(1, 'made\n');
      const { voice } = Created.parse(await response.json());
      months += 1;
      await (await call(service, 'GET', '')).text();
      if (round % 3 !== 0) await call(service, 'DELETE', `/${voice.id}`);
    } else {
      writeSync(1, `${response.status}\n`);
      months += 1;
      await (await call(service, 'GET', '')).text();
    }
  }
  service.close();
}

run().catch((error: unknown) => {
  writeSync(2, error instanceof Error ? `${error.name}: ${error.message}\n` : String(error));
  process.exitCode = 1;
});
