import { expect, it } from 'vitest';
import { ask, keys, type Asked } from './helpers.js';
import { errorOf, open, type Opened } from './media/helpers.js';

interface Cabinet extends Asked {
  readonly account?: string | null;
}

function askCabinet(opened: Opened, { account = 'local', headers, body }: Cabinet = {}) {
  const method = body === undefined ? 'GET' : 'PATCH';
  const cookie = account === null ? 'none' : `svc_session=${account}`;
  return ask(opened, '/api/webhooks', { method, body, key: null, headers: { cookie, ...headers } });
}

async function shown(opened: Opened, asked?: Cabinet): Promise<unknown> {
  return (await askCabinet(opened, asked)).json();
}

const none = { mediaWebhookUrl: null, balanceWebhookUrl: null };
const mediaWebhookUrl = 'https://hooks.example/media?x=1';
const balanceWebhookUrl = 'https://hooks.example/balance';

it('/api/webhooks has no address until one is set, and then keeps it', async () => {
  const opened = open();
  expect(await shown(opened)).toEqual(none);
  expect(await shown(opened, { body: { mediaWebhookUrl } })).toEqual({
    ...none,
    mediaWebhookUrl,
  });
  expect(await shown(opened)).toEqual({ ...none, mediaWebhookUrl });
});

it('/api/webhooks changes only what is named, and takes an address away with null or nothing', async () => {
  const opened = open();
  await askCabinet(opened, { body: { mediaWebhookUrl, balanceWebhookUrl } });
  expect(await shown(opened, { body: { mediaWebhookUrl: null } })).toEqual({
    ...none,
    balanceWebhookUrl,
  });
  expect(await shown(opened, { body: { balanceWebhookUrl: '' } })).toEqual(none);
});

it.each([
  ['no session', { account: null }],
  ['a key', { account: null, headers: { authorization: `Bearer ${keys.local}` } }],
  ['an account that there is not', { account: 'nobody' }],
  ['a page of another origin', { headers: { origin: 'https://attacker.example' } }],
])('/api/webhooks answers 401 to %s', async (_, asked) => {
  const opened = open();
  for (const body of [undefined, { mediaWebhookUrl }]) {
    const error = await errorOf(await askCabinet(opened, { ...asked, body }));
    expect(error).toMatchObject({ status: 401, code: 'invalid_session' });
  }
  expect(await shown(opened)).toEqual(none);
});

it.each([
  'http://hooks.example/',
  'hooks.example',
  'https://localhost/',
  'http://127.0.0.1:8080/',
  'https://169.254.169.254/latest',
  'https://user:word@hooks.example/',
  `https://hooks.example/${'x'.repeat(2000)}`,
])('/api/webhooks refuses %s', async (url) => {
  const opened = open();
  const error = await errorOf(await askCabinet(opened, { body: { mediaWebhookUrl: url } }));
  expect(error).toMatchObject({ status: 400, param: 'mediaWebhookUrl' });
  expect(await shown(opened)).toEqual(none);
});

it.each(['http://127.0.0.1:8080/a', 'http://localhost/', 'https://[::1]:1/'])(
  '/api/webhooks takes %s when this machine may be notified',
  async (url) => {
    const opened = open({ loopbackWebhooks: true });
    expect(await shown(opened, { body: { mediaWebhookUrl: url } })).toMatchObject({
      mediaWebhookUrl: url,
    });
  },
);
