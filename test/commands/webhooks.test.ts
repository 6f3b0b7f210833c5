import { expect, it } from 'vitest';
import { fakeService, json, type Answer } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { jsonOf, run } from '../helpers/run.js';

const stored = { mediaWebhookUrl: 'https://example.com/jobs', balanceWebhookUrl: null, more: 1 };

/** A service that keeps what it is sent, with a session and without a key. */
async function cabinet() {
  let current: object = stored;
  const answer: Answer = (request, response) => {
    if (request.method === 'PATCH') current = { ...current, ...JSON.parse(request.body) };
    json(current)(request, response);
  };
  const service = await fakeService(answer);
  const SVC_SESSION = 'cab_session=abc123def; theme=dark';
  return { ...service, env: { SVC_BASE_URL: service.origin, SVC_SESSION } };
}

it('svc webhooks show sends the session and never the key', async () => {
  const { env, requests } = await cabinet();
  await run('webhooks show', { env: { ...env, SVC_API_KEY: 'sk-svc-fakefakefake' } });
  expect(requests).toMatchObject([{ method: 'GET', url: '/api/webhooks' }]);
  expect(requests[0]?.headers.cookie).toBe('cab_session=abc123def; theme=dark');
  expect(requests[0]?.headers).not.toHaveProperty('authorization');
});

it('svc webhooks show without a session says that a key is not enough and how to bring one', async () => {
  const service = await fakeService(json(stored));
  for (const SVC_SESSION of [undefined, '']) {
    const result = await run('webhooks show', { env: { ...service.env, SVC_SESSION } });
    expect(result).toMatchObject({ code: 4, stdout: '' });
    expect(result.stderr).toMatch(
      /^error: this requires a web cabinet session; a key is not enough\nhint: [^\n]*SVC_SESSION='name=value'\n$/,
    );
  }
  expect(service.requests).toEqual([]);
});

it.each(['abc123def', 'a b=c', '=x', 'a=b\nx: y', 'a=\u00e9'])(
  'svc webhooks show does not accept %j as a cookie, and does not repeat it',
  async (SVC_SESSION) => {
    const service = await fakeService(json(stored));
    const result = await run('webhooks show', { env: { ...service.env, SVC_SESSION } });
    expect(result).toMatchObject({ code: 4, stdout: '' });
    expect(result.stderr).toMatch(/^error: SVC_SESSION is not a cookie [^\n]+\nhint: [^\n]+\n$/);
    expect(service.requests).toEqual([]);
  },
);

it('svc webhooks show says what to do about a session that has ended, and hides it', async () => {
  const service = await fakeService(json({ error: 'session abc123def has ended' }, 401));
  const env = { SVC_BASE_URL: service.origin, SVC_SESSION: 'cab_session=abc123def' };
  const result = await run('-v webhooks show', { env });
  expect(result).toMatchObject({ code: 4, stdout: '' });
  expect(result.stderr).toContain('error: session [key] has ended\nhint: ');
  expect(result.stderr).toContain('SVC_SESSION');
  expect(result.stderr).not.toContain('abc123def');
});

it('svc webhooks show never sends the session in the clear', async () => {
  const env = { SVC_BASE_URL: 'http://service.example', SVC_SESSION: 'a=abc123def' };
  const result = await run('webhooks show', { env });
  expect(result).toMatchObject({ code: 4, stdout: '' });
  expect(result.stderr).toMatch(
    /^error: the session would be sent unencrypted to service\.example\n/,
  );
});

it('svc webhooks set sends both addresses, and shows what is stored then', async () => {
  const { env, requests } = await cabinet();
  const line = 'webhooks set --media https://example.com/a --balance https://example.com/b';
  const both = {
    mediaWebhookUrl: 'https://example.com/a',
    balanceWebhookUrl: 'https://example.com/b',
  };
  expect(JSON.parse((await run(`${line} --json`, { env })).stdout)).toEqual({ ...both, more: 1 });
  expect(requests.map(({ method }) => method)).toEqual(['PATCH']);
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual(both);
});

it('svc webhooks set sends the other address as it is', async () => {
  const { env, requests } = await cabinet();
  await run('webhooks set --balance https://example.com/b', { env });
  expect(requests.map(({ method }) => method)).toEqual(['GET', 'PATCH']);
  expect(JSON.parse(requests[1]?.body ?? '')).toEqual({
    mediaWebhookUrl: 'https://example.com/jobs',
    balanceWebhookUrl: 'https://example.com/b',
  });
});

it('svc webhooks set shows the request without the session', async () => {
  const { env, requests } = await cabinet();
  const line = 'webhooks set --media https://example.com/a';
  expect(await jsonOf(run(`${line} --dry-run`, { env }))).toMatchObject({
    method: 'PATCH',
    headers: { cookie: '[key]' },
    body: { mediaWebhookUrl: 'https://example.com/a' },
  });
  const curl = await run(`${line} --curl`, { env });
  expect(curl.stdout).toContain(`-H 'cookie: '"$SVC_SESSION"`);
  expect(curl.stdout).not.toContain('abc123def');
  expect(requests).toEqual([]);
});

it('svc webhooks set works against the embedded service without any setup', async () => {
  const home = testFolder();
  expect(await run('--local webhooks set --media https://example.com/a', { home })).toMatchObject({
    code: 0,
    stderr: '',
    stdout: 'mediaWebhookUrl\thttps://example.com/a\nbalanceWebhookUrl\tnull\n',
  });
  expect(await jsonOf(run('--local webhooks show --json', { home }))).toEqual({
    mediaWebhookUrl: 'https://example.com/a',
    balanceWebhookUrl: null,
  });
});

it('svc webhooks set does not try again when the answer is lost, and says how to find out', async () => {
  const service = await fakeService((request, response) => {
    if (request.method === 'GET') json(stored)(request, response);
    else response.destroy();
  });
  const env = { SVC_BASE_URL: service.origin, SVC_SESSION: 'a=b' };
  const result = await run('webhooks set --media none --balance none', { env });
  expect(result).toMatchObject({ code: 10, stdout: '' });
  expect(result.stderr).toContain('`svc webhooks show`');
  expect(service.requests).toHaveLength(1);
});
