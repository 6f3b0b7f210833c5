import { expect, it } from 'vitest';
import { configIn, homeWith } from '../helpers/config-home.js';
import { chunks, chunksEnd, fakeService, type Answer } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { run, type RunOptions } from '../helpers/run.js';
import { latinWords } from '../texts/latin.js';

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
      { id: 'v/singer', ...sound('text', 'audio'), pricing: { fromRub: 0.3 } },
    ],
  },
  '/api/media-catalog': {
    models: [
      { id: 'v/canvas', kind: 'image', fromRub: 2 },
      { id: 'v/paint', kind: 'image', fromRub: 3 },
    ],
  },
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

async function firstRun(
  line: string,
  typed: Typed,
  { hasLists = true, config = {}, env = {}, asked = ['Base URL', 'Key'] } = {},
) {
  const service = await fakeService(answering(hasLists));
  const home = homeWith(config);
  const signIn: Typed = [
    [asked[0] ?? '', `${service.origin}\r`],
    [asked[1] ?? '', `${key}\r`],
  ];
  const result = await run(line, { home, env, tty: true, typed: [...signIn, ...typed] });
  const stored = { base_url: service.origin, key, key_origin: service.origin };
  return { ...service, ...result, home, stored };
}

const down = '\u001b[B';

const others = 'Default models for the other kinds';

it('svc login at a terminal offers the cheapest models of each kind with their prices, and stores the choices', async () => {
  const { home, stored, stderr, code } = await firstRun('login', [
    ['Default model for chat', '\r'],
    [others, `${down}\r`],
    ['Default model for images', `${down}\r`],
    ['Default model for speech', `${down}${down}\r`],
    ['Default model for sounds', '\r'],
  ]);
  expect(code).toBe(0);
  expect(stderr).toMatch(
    /v\/small {2}5\.00 in, 9\.00 out RUB\/1M tokens\n.*v\/large {2}50\.00 in, 90\.00 out/,
  );
  expect(stderr).toContain('Key ********\n');
  expect(stderr).toContain('  images  v/canvas  from 2.00 RUB\n  speech  v/voice  from 0.20 RUB\n');
  // The only ones of their kinds need no default, and one without a price is not offered.
  expect(stderr).not.toMatch(/v\/(vectors|unpriced|listener)/);
  expect(stderr.endsWith('Next: svc chat "your question"\n')).toBe(true);
  const models = { model: 'v/small', 'model.image': 'v/paint', 'model.audio': 'v/voice' };
  expect(configIn(home)).toMatchObject({ profiles: { default: { ...stored, ...models } } });
  expect(configIn(home)).not.toHaveProperty(['profiles', 'default', 'model.speech']);
});

it('svc login at a terminal asks nothing more after Esc, and keeps what was chosen', async () => {
  const { home, stored, code } = await firstRun('login', [
    ['Default model for chat', '\r'],
    [others, '\u001b'],
  ]);
  expect(code).toBe(0);
  expect(configIn(home)).toMatchObject({ profiles: { default: { ...stored, model: 'v/small' } } });
  expect(configIn(home)).not.toHaveProperty(['profiles', 'default', 'model.image']);
});

it('svc login at a terminal asks for the key again that the service does not know', async () => {
  const service = await fakeService(({ headers }, response) => {
    response.statusCode = headers.authorization === `Bearer ${key}` ? 200 : 401;
    response.end(JSON.stringify({ balance_rub: 1 }));
  });
  const home = homeWith({});
  const typed: Typed = [
    ['Base URL', `${service.origin}\r`],
    ['? Key', 'sk-svc-wrong\r'],
    ['nothing was stored; copy the key again', ''],
    ['? Key', '"quoted"\r'],
    ['is in quotes', ''],
    ['? Key', `${key}\r`],
  ];
  const { code, stderr } = await run('login', { home, tty: true, typed });
  expect(code).toBe(0);
  expect(stderr).toContain("Create a key in the service's web cabinet");
  expect(configIn(home)).toMatchObject({ profiles: { default: { key } } });
});

it('svc login at a terminal succeeds where the models cannot be listed', async () => {
  const { home, stored, stderr, code } = await firstRun('login', [], { hasLists: false });
  expect(code).toBe(0);
  expect(stderr).not.toContain('Default model');
  expect(stderr.endsWith('Next: svc chat -m MODEL "your question"\n')).toBe(true);
  expect(configIn(home)).toMatchObject({ profiles: { default: stored } });
});

it('svc init logs in, asks for default models and ends with an answer whose price was shown', async () => {
  const { stdout, code, requests, home } = await firstRun('init', [
    ['Default model for chat', '\r'],
    [others, '\r'],
    ['Ask v/small (5.00 in, 9.00 out RUB/1M tokens; Enter skips)', 'hi\r'],
  ]);
  expect({ stdout, code }).toEqual({ stdout: 'Hello.\n', code: 0 });
  expect(configIn(home)).toMatchObject({
    profiles: { default: { 'model.image': 'v/canvas', 'model.speech': 'v/voice' } },
  });
  const posts = requests.filter(({ method }) => method === 'POST');
  expect(posts.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
    { model: 'v/small', messages: [{ role: 'user', content: 'hi' }] },
  ]);
});

const drawn = ['? Базовый URL', '? Ключ', 'для диалога', 'для остального'];
const plain = ['Базовый URL: ', 'не виден): ', 'Номер или слова', 'Номер или слова'];
it.each([
  ['', drawn, '\r', '❯ v/small  вход 5,00, выход 9,00\u00a0₽/млн токенов\n'],
  ['1', plain, '1\r', '1. взять эти\n2. выбрать каждую\n3. не задавать\n'],
])('svc init is in Russian by SVC_LANG, ACCESSIBLE=%s', async (ACCESSIBLE, asked, keys, shown) => {
  const [, , chat = '', rest = ''] = asked;
  const typed: Typed = [
    [chat, keys],
    [rest, keys],
    ['Спросите v/small (вход 5,00, выход', '\r'],
  ];
  const env = { SVC_LANG: 'ru', ACCESSIBLE };
  const { code, stderr } = await firstRun('init', typed, { asked, env });
  expect(code).toBe(0);
  expect(stderr).toContain('профиль «default», баланс 12,50\u00a0₽.\n');
  expect(stderr).toContain('  изображения  v/canvas  от 2,00\u00a0₽\n');
  expect(stderr).toContain(shown);
  const words = stderr.replace(/\u001b\[[\d;?]*[A-Za-z]|.*Базовый URL.*|ctrl.t/g, '');
  expect(latinWords(words)).toEqual([]);
});

it('svc init offers the models again, what is set first, and spends nothing on an empty question', async () => {
  const service = await fakeService(answering(true));
  const models = { model: 'v/large', 'model.image': 'v/paint', 'model.speech': 'v/voice' };
  const stored = { base_url: service.origin, key, ...models };
  const home = homeWith({ profiles: { default: stored } });
  const typed: Typed = [
    ['Default model for chat', '\r'],
    [others, '\r'],
    ['Ask v/large', '\r'],
  ];
  const { code, stdout, stderr } = await run('init', { home, tty: true, typed });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Profile {3}default .*\nBalance {3}12\.50 RUB\n$/s);
  expect(stderr).toContain('  images  v/paint  from 3.00 RUB\n');
  expect(service.requests.every(({ method }) => method === 'GET')).toBe(true);
  const kept = { ...stored, 'model.audio': 'v/voice' };
  expect(configIn(home)).toMatchObject({ profiles: { default: kept } });
});

it('svc init offers the only model of a kind in place of one that is gone', async () => {
  const service = await fakeService(answering(true));
  const models = { 'model.embedding': 'v/gone', 'model.transcription': 'v/listener' };
  const home = homeWith({ profiles: { default: { base_url: service.origin, key, ...models } } });
  const typed: Typed = [
    ['Default model for chat', '\r'],
    [others, '\r'],
    ['Ask v/small', '\r'],
  ];
  const { code, stderr } = await run('init', { home, tty: true, typed });
  expect(code).toBe(0);
  expect(stderr).not.toContain('  transcription');
  expect(configIn(home)).toMatchObject({
    profiles: { default: { 'model.embedding': 'v/vectors' } },
  });
});

it('svc init skips what need not be asked without a terminal', async () => {
  const service = await fakeService(answering(true));
  const home = homeWith({
    profiles: { default: { base_url: service.origin, key, model: 'v/large' } },
  });
  expect(await run('init', { home })).toMatchObject({ code: 0, stderr: '' });
});

it('svc login without a terminal names the default model that is missing', async () => {
  const { origin } = await fakeService(answering(true));
  const login = ['login', '--with-key', '--base-url', origin];
  const { code, stderr } = await run(login, { stdin: key, home: testFolder() });
  expect(code).toBe(0);
  expect(stderr.endsWith('no default model: svc config set model v/small\n')).toBe(true);
});

it('svc init runs offline with --local, and needs a terminal', async () => {
  const typed: Typed = [['Ask local/guide', 'What is svc?\r']];
  const { code, stdout } = await run('--local init', { tty: true, typed, home: testFolder() });
  expect(code).toBe(0);
  expect(stdout).not.toBe('');
  expect(await run('init')).toMatchObject({ code: 2, stdout: '' });
});
