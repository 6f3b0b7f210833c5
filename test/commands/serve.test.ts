import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { Interrupted } from '../../src/errors.js';
import { fakeService } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { localScript } from '../helpers/local-script.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { run, type RunOptions } from '../helpers/run.js';
import { wav } from '../service/media/tones.js';
import { receiver } from '../service/receiver.js';

/** Runs `svc serve` until `during` is done with its address. */
async function serving(
  line: string,
  during: (url: string) => Promise<void>,
  options: RunOptions = {},
) {
  const interrupt = new AbortController();
  const failures: unknown[] = [];
  const result = await run(`serve --port 0 ${line}`, {
    ...options,
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

it('svc serve prints its address alone on stdout, and the keys for people', async () => {
  let address = '';
  const result = await serving('--memory', async (url) => {
    address = url;
    const answer = await run('balance', {
      env: { SVC_BASE_URL: url, SVC_API_KEY: 'sk-svc-local' },
    });
    expect(answer).toMatchObject({ code: 0, stdout: '1000.00 RUB\n' });
  });
  expect(result.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
  expect(result.stderr).toContain(`SVC_BASE_URL=${address} SVC_API_KEY=sk-svc-local svc chat`);
  for (const key of ['local', 'local-empty', 'local-blocked', 'local-limited', 'local-sandbox']) {
    expect(result.stderr).toMatch(new RegExp(`^  sk-svc-${key}  \\S`, 'm'));
  }
  await expect(fetch(address)).rejects.toThrow();
});

it('svc serve shares its ledger with --local, unless it is kept in memory', async () => {
  const home = testFolder();
  await run('--local chat -m local/guide "What can you do?"', { home });
  const left = (await run('--local balance --json', { home })).stdout;
  expect(left).not.toContain('1000,');
  const ask = async (url: string) => {
    const env = { SVC_BASE_URL: url, SVC_API_KEY: 'sk-svc-local' };
    return (await run('balance --json', { env })).stdout;
  };
  await serving('', async (url) => expect(await ask(url)).toBe(left), { home });
  await serving('--memory', async (url) => expect(await ask(url)).not.toBe(left), { home });
});

it('svc serve answers from the script of its flag, or of the environment', async () => {
  const flag = localScript({ reply: 'by flag' }).SVC_LOCAL_SCRIPT;
  const env = localScript({ reply: 'by environment' });
  const says = (words: string) => async (url: string) => {
    const result = await run('chat -m local/script hi', {
      env: { SVC_BASE_URL: url, SVC_API_KEY: 'sk-svc-local' },
    });
    expect(result.stdout).toBe(`${words}\n`);
  };
  await serving('--memory', says('by environment'), { env });
  await serving(`--memory --script ${flag}`, says('by flag'), { env });
});

it('svc serve searches a folder besides the manual', async () => {
  const folder = testFolder();
  writeFileSync(join(folder, 'roses.md'), '# Roses\n\nRoses want clay.');
  writeFileSync(join(folder, 'image.png'), 'no text');
  let found = '';
  const result = await serving(`--memory --corpus ${folder}`, async (url) => {
    const env = { SVC_BASE_URL: url, SVC_API_KEY: 'sk-svc-local' };
    found = (await run('search --urls roses clay', { env })).stdout;
  });
  expect(found).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/corpus\/roses\.md\n/);
  expect(result.stderr).toContain(`1 text of ${folder} can be searched\n`);
});

it.each(['nowhere', 'file.md'])(
  'svc serve refuses the folder %s before it listens',
  async (name) => {
    const folder = testFolder();
    writeFileSync(join(folder, 'file.md'), 'text');
    const path = join(folder, name);
    const result = await run(`serve --port 0 --memory --corpus ${path}`);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(`--corpus: cannot read the folder ${path}: `);
  },
);

it('svc serve names the cabinet session, which opens the webhooks', async () => {
  const result = await serving('--memory', async (url) => {
    const headers = { cookie: 'svc_session=local' };
    const response = await fetch(`${url}/api/webhooks`, { headers });
    expect(await response.json()).toEqual({ mediaWebhookUrl: null, balanceWebhookUrl: null });
  });
  expect(result.stderr).toContain('cabinet session for /api/webhooks: cookie svc_session=local');
});

// What `svc serve` does for media jobs, seen by a client of its address.

function post(url: string, body: object): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { authorization: 'Bearer sk-svc-local', 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

const draft = { model: 'canvas', prompt: 'a lighthouse', opts: { quality: 'draft' } };
const image = { model: 'canvas', prompt: 'a lighthouse', quality: 'draft' };

it('svc serve notifies this machine when it is allowed to, and shows the secret and each delivery', async () => {
  const hook = await receiver();
  const result = await serving('--memory --job-time 0 --allow-loopback-webhooks', async (url) => {
    const accepted = await post(`${url}/api/media/generate`, {
      ...draft,
      webhook_url: hook.url,
    });
    expect(accepted.status).toBe(202);
    await hook.count(1);
    expect(hook.received[0]?.body).toContain(`"${url}/api/media/file/job_`);
  });
  expect(result.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
  expect(result.stderr).toMatch(/^webhook secret of notifications: whsec_\S+$/m);
});

it('svc serve uses the given job time, and the given wait of images', async () => {
  await serving('--memory --job-time 1h --image-deadline 10ms', async (url) => {
    expect((await post(`${url}/v1/images/generations`, image)).status).toBe(504);
  });
  for (const time of ['10ms', '0']) {
    await serving(`--memory --job-time ${time} --image-deadline 10s`, async (url) => {
      expect((await post(`${url}/v1/images/generations`, image)).status).toBe(200);
    });
  }
});

it('svc serve fetches a recording of a voice only when it is allowed to', async () => {
  const source = await fakeService((_request, response) => response.end(wav(2)));
  const voice = { name: 'Ann', consent: true, audio_url: `${source.origin}/ann.wav` };
  await serving('--memory', async (url) => {
    const refused = await post(`${url}/api/media/voices`, voice);
    expect(refused.status).toBe(422);
    expect(await refused.json()).toMatchObject({ code: 'voice_sample_unreachable' });
  });
  expect(source.requests).toEqual([]);
  await serving('--memory --allow-fetch', async (url) => {
    expect((await post(`${url}/api/media/voices`, voice)).status).toBe(201);
  });
  expect(source.requests).toMatchObject([{ url: '/ann.wav' }]);
});

const report = {
  subject: 'Answers stop early',
  message: 'Since this morning long answers end in the middle.',
};
const Reply = z.object({ ticket: z.object({ id: z.string(), status: z.string() }) });
const create = ['api', 'POST', '/v1/tickets'].concat(
  Object.entries(report).flatMap(([name, value]) => ['-f', `${name}=${value}`]),
);

/** A ticket's status just before a time, and at it. */
async function statusesAround(
  clock: ManualClock,
  svc: (line: readonly string[]) => Promise<{ stdout: string }>,
  timeMs: number,
) {
  const { id } = Reply.parse(JSON.parse((await svc(create)).stdout)).ticket;
  const status = async () => {
    const { stdout } = await svc(['api', 'GET', `/v1/tickets/${id}`]);
    return Reply.parse(JSON.parse(stdout)).ticket.status;
  };
  clock.pass(timeMs - 1);
  const before = await status();
  clock.pass(1);
  return [before, await status()];
}

/** How long a ticket waits with --local. */
function local(env: Readonly<Record<string, string>>, timeMs: number) {
  const [clock, home] = [new ManualClock(), testFolder()];
  const svc = (line: readonly string[]) => run(['--local', ...line], { home, clock, env });
  return statusesAround(clock, svc, timeMs);
}

/** How long a ticket waits with svc serve. */
async function served(line: string, env: RunOptions['env'], timeMs: number) {
  const [clock, interrupt] = [new ManualClock(), new AbortController()];
  const seen: Promise<readonly string[]>[] = [];
  await run(`serve --port 0 --memory ${line}`, {
    clock,
    env,
    signal: interrupt.signal,
    onStdout: (text) => {
      const reach = { SVC_BASE_URL: text.trim(), SVC_API_KEY: 'sk-svc-local' };
      const statuses = statusesAround(clock, (sent) => run(sent, { env: reach }), timeMs);
      seen.push(statuses);
      const stop = () => interrupt.abort(new Interrupted('SIGINT'));
      statuses.then(stop, stop);
    },
  });
  return seen[0];
}

const around = ['open', 'replied'];

it('a ticket of the embedded service is answered after ten seconds, or as SVC_LOCAL_REPLY_TIME says', async () => {
  expect(await local({}, 10_000)).toEqual(around);
  expect(await local({ SVC_LOCAL_REPLY_TIME: '3s' }, 3000)).toEqual(around);
  const wrong = await run('--local balance', { env: { SVC_LOCAL_REPLY_TIME: 'soon' } });
  expect(wrong).toMatchObject({ code: 2, stdout: '' });
  expect(wrong.stderr).toContain('SVC_LOCAL_REPLY_TIME is not a duration: soon');
});

it('a ticket of the embedded service is answered as svc serve --reply-time says, which wins over the environment', async () => {
  expect(await served('', {}, 10_000)).toEqual(around);
  const env = { SVC_LOCAL_REPLY_TIME: '3s' };
  expect(await served('', env, 3000)).toEqual(around);
  expect(await served('--reply-time 1m', env, 60_000)).toEqual(around);
});
