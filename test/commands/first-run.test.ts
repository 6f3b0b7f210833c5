import { expect, it } from 'vitest';
import { configIn, homeWith } from '../helpers/config-home.js';
import { chunks, chunksEnd, fakeService, type Answer } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { run, type RunOptions } from '../helpers/run.js';

const key = 'sk-svc-0123456789abcdef';
const tokens = (input: number, output: number) => ({
  input_rub_per_million_tokens: input,
  output_rub_per_million_tokens: output,
});
const sound = (input: string, output: string) => ({
  type: 'audio',
  modalities: { input: [input], output: [output] },
});
const lists: Readonly<Record<string, unknown>> = {
  '/v1/balance': { balance_rub: 12.5, currency: 'RUB' },
  '/v1/models?all=true': {
    data: [
      { id: 'v/large', type: 'text', pricing: tokens(50, 90) },
      { id: 'v/small', type: 'text' },
      { id: 'v/vectors', type: 'embedding', pricing: tokens(1, 0) },
      { id: 'v/unpriced', type: 'text' },
      { id: 'v/listener', ...sound('audio', 'text'), pricing: { fromRub: 0.1 } },
      { id: 'v/voice', ...sound('text', 'audio'), pricing: { fromRub: 0.2 } },
    ],
  },
  '/api/media-catalog': { models: [{ id: 'v/canvas', kind: 'image', fromRub: 2 }] },
  '/v1/pricing': { data: [{ id: 'v/small', type: 'text', ...tokens(5, 9) }] },
};

const answering =
  (hasLists: boolean): Answer =>
  ({ method, url }, response) => {
    if (method === 'POST') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(chunks('Hello.') + chunksEnd);
      return;
    }
    const found = hasLists || url === '/v1/balance' ? lists[url] : undefined;
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ?? {}));
  };

type Typed = NonNullable<RunOptions['typed']>;

async function firstRun(line: string, typed: Typed, { hasLists = true, config = {} } = {}) {
  const service = await fakeService(answering(hasLists));
  const home = homeWith(config);
  const signIn: Typed = [
    ['Base URL', `${service.origin}\r`],
    ['Key', `${key}\r`],
  ];
  const result = await run(line, { home, tty: true, typed: [...signIn, ...typed] });
  const stored = { base_url: service.origin, key, key_origin: service.origin };
  return { ...service, ...result, home, stored };
}

const down = '\u001b[B';

it('svc login at a terminal offers the cheapest models of each kind with their prices, and stores the choices', async () => {
  const { home, stored, stderr, code } = await firstRun('login', [
    ['Default model for chat', '\r'],
    ['Default model for images', `${down}\r`],
    ['Default model for speech', '\r'],
  ]);
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /v\/small {2}5\.00 in, 9\.00 out RUB\/1M tokens\n.*v\/large {2}50\.00 in, 90\.00 out/,
  );
  expect(stderr).toContain('Key ********\n');
  expect(stderr).toContain('v/canvas  from 2.00 RUB');
  expect(stderr).not.toMatch(/v\/(vectors|unpriced|listener)/);
  expect(stderr.endsWith('Next: svc chat "your question"\n')).toBe(true);
  const models = { model: 'v/small', 'model.speech': 'v/voice' };
  expect(configIn(home)).toMatchObject({ profiles: { default: { ...stored, ...models } } });
  expect(configIn(home)).not.toHaveProperty(['profiles', 'default', 'model.image']);
});

it('svc login at a terminal asks nothing more after Esc, and keeps what was chosen', async () => {
  const { home, stored, stderr, code } = await firstRun('login', [
    ['Default model for chat', '\r'],
    ['Default model for images', '\u001b'],
  ]);
  expect(code).toBe(0);
  expect(stderr).not.toContain('for speech');
  expect(configIn(home)).toMatchObject({
    profiles: { default: { ...stored, model: 'v/small' } },
  });
});

it('svc login at a terminal succeeds where the models cannot be listed', async () => {
  const { home, stored, stderr, code } = await firstRun('login', [], { hasLists: false });
  expect(code).toBe(0);
  expect(stderr).not.toContain('Default model');
  expect(stderr.endsWith('Next: svc chat -m MODEL "your question"\n')).toBe(true);
  expect(configIn(home)).toMatchObject({ profiles: { default: stored } });
});

it('svc init logs in, asks for default models and ends with an answer whose price was shown', async () => {
  const { stdout, code, requests } = await firstRun('init', [
    ['Default model for chat', '\r'],
    ['Default model for images', '\u001b'],
    ['Ask v/small (5.00 in, 9.00 out RUB/1M tokens; Enter skips)', 'hi\r'],
  ]);
  expect({ stdout, code }).toEqual({ stdout: 'Hello.\n', code: 0 });
  const posts = requests.filter(({ method }) => method === 'POST');
  expect(posts.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
    { model: 'v/small', messages: [{ role: 'user', content: 'hi' }] },
  ]);
});

it('svc init asks only for what is missing, and spends nothing on an empty question', async () => {
  const service = await fakeService(answering(true));
  const models = { model: 'v/large', 'model.image': 'v/canvas', 'model.speech': 'v/voice' };
  const stored = { base_url: service.origin, key, ...models };
  const home = homeWith({ profiles: { default: stored } });
  const typed: Typed = [['Ask v/large', '\r']];
  const { code, stdout } = await run('init', { home, tty: true, typed });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Profile {3}default .*\nBalance {3}12\.50 RUB\n$/s);
  expect(service.requests.every(({ method }) => method === 'GET')).toBe(true);
  expect(configIn(home)).toEqual({ profiles: { default: stored } });
});

it('svc init runs offline with --local, and needs a terminal', async () => {
  const typed: Typed = [['Ask local/guide', 'What is svc?\r']];
  const { code, stdout } = await run('--local init', { tty: true, typed, home: testFolder() });
  expect(code).toBe(0);
  expect(stdout).not.toBe('');
  expect(await run('init')).toMatchObject({ code: 2, stdout: '' });
});
