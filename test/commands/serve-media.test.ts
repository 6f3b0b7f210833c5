/** What `svc serve` does for media jobs, seen by a client of its address. */
import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Interrupted } from '../../src/cli/main.js';
import { run } from '../helpers/run.js';
import { wav } from '../service/media/tones.js';
import { receiver } from '../service/receiver.js';

/** Runs `svc serve` until `during` is done with its address. */
async function serving(line: string, during: (url: string) => Promise<void>) {
  const interrupt = new AbortController();
  const failures: unknown[] = [];
  const result = await run(`serve --memory --port 0 ${line}`, {
    signal: interrupt.signal,
    onStdout: (text) => {
      during(text.trim())
        .catch((error: unknown) => failures.push(error))
        .finally(() => {
          interrupt.abort(new Interrupted('SIGINT'));
        });
    },
  });
  expect(failures).toEqual([]);
  return result;
}

function post(url: string, body: object): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-svc-local', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

const draft = { model: 'canvas', prompt: 'a lighthouse', opts: { quality: 'draft' } };
const image = { model: 'canvas', prompt: 'a lighthouse', quality: 'draft' };

describe('svc serve', () => {
  it('notifies this machine when it is allowed to, and shows the secret and each delivery', async () => {
    const hook = await receiver();
    const result = await serving('--job-time 1ms --allow-loopback-webhooks', async (url) => {
      const accepted = await post(`${url}/api/media/generate`, {
        ...draft,
        webhook_url: hook.url,
      });
      expect(accepted.status).toBe(202);
      await hook.count(1);
      expect(hook.received[0]?.body).toContain(`"${url}/api/media/file/job_`);
    });
    expect(result.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
    expect(result.stderr).toMatch(/^notifications of jobs are signed with whsec_\S+$/m);
  });

  it('notifies no address on this machine otherwise', async () => {
    await serving('', async (url) => {
      const refused = await post(`${url}/api/media/generate`, {
        ...draft,
        webhook_url: 'http://127.0.0.1:9/',
      });
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({ ok: false, param: 'webhook_url' });
    });
  });

  it('lets jobs take the time it is told to, and images wait as long as it is told to', async () => {
    await serving('--job-time 1h --image-deadline 10ms', async (url) => {
      expect((await post(`${url}/v1/images/generations`, image)).status).toBe(504);
    });
    await serving('--job-time 10ms', async (url) => {
      expect((await post(`${url}/v1/images/generations`, image)).status).toBe(200);
    });
  });

  it('fetches a recording of a voice only when it is allowed to', async () => {
    const asked: string[] = [];
    const source = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end(wav(2));
    });
    await new Promise<void>((resolve) => {
      source.listen(0, '127.0.0.1', resolve);
    });
    onTestFinished(() => {
      source.close();
    });
    const address = source.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const audio_url = `http://127.0.0.1:${port}/ann.wav`;
    const voice = { name: 'Ann', consent: true, audio_url };
    await serving('', async (url) => {
      const refused = await post(`${url}/api/media/voices`, voice);
      expect(refused.status).toBe(422);
      expect(await refused.json()).toMatchObject({ code: 'voice_sample_unreachable' });
    });
    expect(asked).toEqual([]);
    await serving('--allow-fetch', async (url) => {
      expect((await post(`${url}/api/media/voices`, voice)).status).toBe(201);
    });
    expect(asked).toEqual(['/ann.wav']);
  });
});
