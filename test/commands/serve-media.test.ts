/** What `svc serve` does for media jobs, seen by a client of its address. */
import { describe, expect, it } from 'vitest';
import { Interrupted } from '../../src/cli/main.js';
import { run } from '../helpers/run.js';
import { receiver } from '../service/notify/receiver.js';

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
});
