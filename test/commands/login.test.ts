import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { accountService, goodKey } from '../helpers/account-service.js';
import { configIn, homeWith } from '../helpers/config-home.js';
import { testFolder } from '../helpers/folder.js';
import { run } from '../helpers/run.js';

const stored = (origin: string, more: object = {}) => ({
  base_url: origin,
  key: goodKey,
  key_origin: origin,
  ...more,
});

it('svc login --with-key proves the key, stores it for its origin, and says so', async () => {
  const home = testFolder();
  const { origin, requests } = await accountService();
  const result = await run(`login --with-key --base-url ${origin}/v1/`, {
    home,
    stdin: `  ${goodKey}\r\n`,
  });
  expect(result).toMatchObject({
    code: 0,
    stdout: '',
    stderr: `Stored a key for ${origin} in profile "default"; balance 12.50 RUB.\n`,
  });
  expect(requests[0]).toBe(`GET /v1/balance ${goodKey}`);
  expect(configIn(home)).toEqual({
    version: 1,
    profile: 'default',
    profiles: { default: stored(origin) },
  });
});

it('svc login --with-key answers with JSON that shows no key', async () => {
  const home = testFolder();
  const { origin } = await accountService();
  const result = await run(`login --with-key --json --base-url ${origin}`, {
    home,
    stdin: goodKey,
  });
  expect(result).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(result.stdout)).toEqual({
    profile: 'default',
    baseUrl: origin,
    key: 'sk-svc-0…cdef',
    verified: true,
    balanceRub: 12.5,
    configFile: join(home, 'config.json'),
  });
});

it('svc login --with-key makes a second profile, keeps its settings and the usual one', async () => {
  const { origin } = await accountService();
  const first = { base_url: 'https://first.example', key: 'sk-svc-first' };
  const home = homeWith({
    profile: 'first',
    colour: 'red',
    profiles: { first, work: { model: 'm', key: 'old', key_origin: 'https://old.example' } },
  });
  const result = await run(`login --with-key --profile work --base-url ${origin}`, {
    home,
    stdin: goodKey,
    env: { SVC_BRAND: 'svc' },
  });
  expect(result.code).toBe(0);
  expect(configIn(home)).toEqual({
    version: 1,
    profile: 'first',
    colour: 'red',
    profiles: { first, work: stored(origin, { model: 'm', brand: 'svc' }) },
  });
});

it('svc login --with-key stores unproved under --no-verify, and sends nothing', async () => {
  const home = testFolder();
  const { origin, requests } = await accountService();
  const result = await run(`login --with-key --no-verify --base-url ${origin}`, {
    home,
    stdin: 'other-key-of-mine',
  });
  expect(result).toMatchObject({
    code: 0,
    stderr:
      "warning: this service's keys start with sk-svc-; this one does not\n" +
      `Stored a key for ${origin} in profile "default"; not verified.\n`,
  });
  expect(requests).toEqual([]);
  expect(configIn(home)).toMatchObject({ profiles: { default: { key: 'other-key-of-mine' } } });
});

it('svc login --with-key shows the proof under --dry-run, key hidden, and stores nothing', async () => {
  const home = testFolder();
  const { origin, requests } = await accountService();
  const result = await run(`login --with-key --no-verify --dry-run --base-url ${origin}`, {
    home,
    stdin: goodKey,
  });
  expect(result.code).toBe(0);
  expect(JSON.parse(result.stdout)).toMatchObject({
    method: 'GET',
    url: `${origin}/v1/balance`,
    headers: { authorization: 'Bearer [key]' },
  });
  expect(requests).toEqual([]);
  expect(existsSync(join(home, 'config.json'))).toBe(false);
});

describe.each([
  ['Ctrl-C', '\x03'],
  ['Ctrl-D', '\x04'],
])('%s at a question of svc login', (_name, keys) => {
  it.each(['Base URL', 'Key'])('ends it at "%s" as interrupted, storing nothing', async (at) => {
    const home = testFolder();
    const typed: [string, string][] = [['Base URL', 'https://a.example\r']];
    const result = await run('login', {
      home,
      tty: true,
      typed: at === 'Base URL' ? [[at, keys]] : [...typed, [at, keys]],
    });
    expect(result).toMatchObject({ code: 130, stdout: '' });
    expect(result.stderr).not.toContain('error');
    expect(existsSync(join(home, 'config.json'))).toBe(false);
  });
});

const failing = async (line: string, status?: number, stdin = goodKey) => {
  const home = testFolder();
  const service = await accountService(status === undefined ? undefined : () => ({ status }));
  const result = await run(line.replace('URL', service.origin), { home, stdin });
  expect(result.stdout).toBe('');
  expect(existsSync(join(home, 'config.json'))).toBe(false);
  expect(result.stderr).not.toContain(stdin.trim());
  return { ...result, ...service };
};

it.each([
  [401, 4, 'does not know this key (401)', 'copy the key again from the cabinet'],
  [403, 4, 'does not accept this key from this address (403)', 'allow this address in the'],
  [404, 3, 'has no balance endpoint (404)', 'check the base URL'],
])(
  'svc login refuses a key or a base URL that is answered with %i',
  async (status, exit, words, hint) => {
    const { code, stderr, origin } = await failing('login --with-key --base-url URL', status);
    expect(code).toBe(exit);
    expect(stderr).toContain(`error: ${origin} ${words}\nhint: nothing was stored; ${hint}`);
  },
);

it.each([
  ['login --with-key', 'no base URL is set\nhint: svc login --with-key --base-url URL <'],
  ['login --with-key --local', 'the embedded service needs no login\nhint: omit --local'],
  ['login --base-url URL', 'cannot ask for the key here\nhint: svc login --with-key --base-url'],
])('svc login refuses svc %s sends nothing', async (line, text) => {
  const { code, stderr, requests } = await failing(line);
  expect({ code, requests }).toEqual({ code: 2, requests: [] });
  expect(stderr).toContain(`error: ${text}`);
});

it('svc login refuses an address that would receive a key in the clear, as every other command does', async () => {
  const line = 'login --with-key --base-url http://example.com --json';
  const { code, stderr, requests } = await failing(line);
  expect({ code, requests }).toEqual({ code: 4, requests: [] });
  expect(JSON.parse(stderr)).toMatchObject({
    error: { code: 'cleartext_key', message: 'the key would be sent unencrypted to example.com' },
  });
});

it.each(['two words', 'sk-svc-a\nsk-svc-b', 'sk-svc-ключ'])(
  'svc login refuses the malformed key %j without quoting it',
  async (stdin) => {
    const { code, stderr } = await failing('login --with-key --base-url URL', undefined, stdin);
    expect(code).toBe(2);
    expect(stderr).toBe(
      'error: the key contains a space, a line break or another invalid character\n',
    );
  },
);

it('svc login refuses to ask under --no-input, and to wait for a key that is not piped', async () => {
  const env = { NO_COLOR: '1' };
  expect(await run('login --no-input', { home: testFolder(), tty: true, env })).toMatchObject({
    code: 2,
    stderr:
      'error: cannot ask for the key here\nhint: svc login --with-key --base-url URL < key.txt\n',
  });
  expect(await run('login --with-key', { home: testFolder(), tty: true, env })).toMatchObject({
    code: 2,
    stderr:
      'error: --with-key reads the key from a file or a pipe, not a terminal\n' +
      'hint: to type it: svc login; from a file: svc login --with-key < key.txt\n',
  });
});

it('svc login refuses a broken config file before it asks for anything', async () => {
  const home = homeWith('{"profiles": ');
  const result = await run('login', { home, tty: true, columns: 200, env: { NO_COLOR: '1' } });
  expect(result.code).toBe(4);
  expect(result.stderr).toMatch(/^error: the config file .* it is not JSON: it ends unexpectedly/);
});
