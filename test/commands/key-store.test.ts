import { chmodSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { accountOf } from '../../src/state/account.js';
import { accountService, goodKey } from '../helpers/account-service.js';
import { configIn, homeWith } from '../helpers/config-home.js';
import { testFolder } from '../helpers/folder.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { run, type RunOptions } from '../helpers/run.js';

/** A keychain in memory, and what it refuses to do. */
const keychain = vi.hoisted(() => {
  return { entries: new Map<string, string>(), refuses: '', loads: 0, isReal: false };
});
vi.mock('@napi-rs/keyring', async (original) => {
  const real = await original<typeof import('@napi-rs/keyring')>();
  keychain.loads += 1;
  class AsyncEntry {
    readonly #name: string;
    constructor(service: string, name: string) {
      this.#name = `${service}/${name}`;
    }
    #act<Result>(verb: string, act: () => Result): Promise<Result> {
      if (keychain.refuses.includes(verb)) return Promise.reject(new Error('DBus error'));
      return Promise.resolve(act());
    }
    setPassword(key: string) {
      return this.#act('set', () => void keychain.entries.set(this.#name, key));
    }
    getPassword() {
      return this.#act('get', () => keychain.entries.get(this.#name) ?? null);
    }
    deleteCredential() {
      return this.#act('delete', () => keychain.entries.delete(this.#name));
    }
  }
  return {
    get AsyncEntry() {
      return keychain.isReal ? real.AsyncEntry : AsyncEntry;
    },
  };
});
beforeEach(() => {
  keychain.entries.clear();
  Object.assign(keychain, { refuses: '', isReal: false });
});

const unusable = 'the keychain of this system cannot be used';
const path = { PATH: process.env['PATH'] };

/** A home whose key is in the file, for a service that knows it. */
async function scene(profile: object = { key: goodKey }) {
  const { origin, requests } = await accountService();
  const home = homeWith({
    profile: 'default',
    profiles: { default: { base_url: origin, key_origin: origin, ...profile } },
  });
  const svc = (line: string | readonly string[], options: RunOptions = {}) =>
    run(line, { home, ...options, env: { ...path, ...options.env } });
  const login = (store: string) => svc(`login --with-key --store ${store}`, { stdin: goodKey });
  const fields = () => configIn(home) as { profiles: Record<string, Record<string, unknown>> };
  return { home, login, origin, requests, svc, profile: () => fields().profiles['default'] };
}

/** A program that does this. */
function script(lines: string): string {
  const file = join(testFolder(), 'print key');
  writeFileSync(file, `#!/bin/sh\n${lines}\n`);
  chmodSync(file, 0o755);
  return JSON.stringify([file, 'an argument']);
}

describe('a key in the keychain', () => {
  it('is moved there from the file, used, and moved back, and is never in both', async () => {
    const { login, origin, svc, profile, requests } = await scene();
    expect((await login('keychain')).code).toBe(0);
    expect([...keychain.entries.values()]).toEqual([goodKey]);
    const [name = ''] = keychain.entries.keys();
    expect(name).toMatch(/^svc\/default [0-9a-f]{8}$/);
    const entry = name.slice(4);
    const hash = accountOf('', '', goodKey).keyHash;
    expect(profile()).toEqual({
      base_url: origin,
      key_origin: origin,
      key_entry: entry,
      key_hash: hash,
    });
    expect(await svc('balance')).toMatchObject({ code: 0, stdout: '12.50 RUB\n' });
    expect(requests.at(-1)).toBe(`GET /v1/balance ${goodKey}`);
    // Where it is stays where it is.
    expect((await svc('login --with-key --json', { stdin: goodKey })).stdout).toContain('keychain');
    expect(keychain.entries.size).toBe(1);
    expect(keychain.entries.has(name)).toBe(false);
    expect((await login('file')).code).toBe(0);
    expect(keychain.entries.size).toBe(0);
    expect(profile()).toEqual({ base_url: origin, key_origin: origin, key: goodKey });
  });

  it('is named as the source, and is read only where it is shown', async () => {
    const { home, login, svc } = await scene();
    await login('keychain');
    expect((await svc('whoami')).stdout).toContain('Key\tsk-svc-0…cdef\tkeychain\n');
    expect((await svc('config get key --reveal')).stdout).toBe(`${goodKey}\n`);
    keychain.refuses = 'get';
    expect((await svc('config list')).stdout).toContain('key\t\tkeychain\n');
    expect((await svc('config profiles')).stdout).toContain('\tkeychain\tyes\n');
    // What is known of a failure names the account without the key.
    expect((await svc('balance')).code).toBe(4);
    const kept = readFileSync(join(home, 'data/last-failure.json'), 'utf8');
    expect(kept).toContain(accountOf('', '', goodKey).keyHash);
    const overridden = await svc('balance', { env: { SVC_API_KEY: goodKey } });
    expect(overridden).toMatchObject({ code: 0, stdout: '12.50 RUB\n' });
  });

  it('is not sent to another origin, and not read for it', async () => {
    const { login, svc, requests } = await scene();
    const { origin: other } = await accountService();
    await login('keychain');
    keychain.refuses = 'get';
    const before = requests.length;
    const { code, stderr } = await svc(`balance --base-url ${other}`);
    expect({ code, sent: requests.length - before }).toEqual({ code: 4, sent: 0 });
    expect(stderr).toContain('the stored key belongs to');
    await svc(`config set base_url ${other}`);
    expect((await svc('balance')).stderr).toContain('the stored key belongs to');
  });

  it.each(['logout', 'logout --all', 'config unset key', 'config profiles --delete default'])(
    'is removed by svc %s',
    async (line) => {
      const { login, svc } = await scene();
      await login('keychain');
      expect((await svc(line, { tty: true, typed: [['?', 'y\r']] })).code).toBe(0);
      expect(keychain.entries.size).toBe(0);
      expect((await svc('whoami')).code).toBe(4);
    },
  );

  it('stays one for each profile', async () => {
    const { login, svc, origin } = await scene();
    await login('keychain');
    const work = `login --with-key --store keychain --profile work --base-url ${origin}`;
    await svc(work, { stdin: goodKey });
    expect([...keychain.entries.keys()].join()).toMatch(/^svc\/default \w+,svc\/work \w+$/);
    await svc('logout --profile work');
    expect([...keychain.entries.keys()].join()).toMatch(/^svc\/default \w+$/);
  });
});

describe('when the keychain fails', () => {
  it.each(['set', 'get'])('at "%s", the key stays in the file', async (verb) => {
    const { login, profile } = await scene();
    keychain.refuses = verb;
    expect(await login('keychain')).toMatchObject({
      code: 4,
      stderr: `error: ${unusable}
hint: unlock or start it (on Linux a Secret Service, such as gnome-keyring); to keep the key in a file: svc login --store file
`,
    });
    expect(profile()).toMatchObject({ key: goodKey });
  });

  it('at removing the old key, the new one is stored and the old one is named', async () => {
    const { login, profile } = await scene();
    await login('keychain');
    keychain.refuses = 'delete';
    const { code, stderr } = await login('file');
    expect(code).toBe(0);
    expect(stderr).toMatch(/warning: the earlier key stays in the keychain as svc, "default \w+"/);
    expect(profile()).toMatchObject({ key: goodKey });
    expect(profile()).not.toHaveProperty('key_entry');
  });

  it('at svc logout, the profile still names the entry', async () => {
    const { login, svc, profile } = await scene();
    await login('keychain');
    keychain.refuses = 'delete';
    expect((await svc('logout')).code).toBe(4);
    expect(profile()).toHaveProperty('key_entry');
    keychain.entries.clear();
    const lost = await svc('balance');
    expect(lost.stderr).toContain('the keychain does not hold the key of profile "default"');
    keychain.refuses = '';
    expect((await svc('logout')).stderr).toBe('Removed the key of profile "default".\n');
  });

  it.skipIf(process.platform !== 'linux')('the real package says so, and svc too', async () => {
    const { svc, profile } = await scene();
    keychain.isReal = true;
    vi.stubEnv('DBUS_SESSION_BUS_ADDRESS', 'unix:path=/none');
    onTestFinished(() => void vi.unstubAllEnvs());
    const line = 'login --with-key --store keychain --json';
    const { stdout, stderr } = await svc(line, { stdin: goodKey, env: { SVC_DEBUG: '1' } });
    expect(stdout).toBe('');
    expect(stderr).toContain('DBus error');
    expect(stderr).not.toContain(goodKey);
    expect(JSON.parse(stderr.split('\n', 1)[0] ?? '')).toMatchObject({
      error: { code: 'no_keychain', exit: 4, message: unusable },
    });
    expect(profile()).toMatchObject({ key: goodKey });
  });
});

describe('key_command', () => {
  it('prints the key for each run, and neither file nor keychain has it', async () => {
    const { home, login, svc, profile, requests } = await scene();
    await login('keychain');
    const command = script(`[ "$1" = 'an argument' ] && echo '  ${goodKey}'; echo no >&2`);
    const set = await svc(['config', 'set', 'key_command', command]);
    expect(set.stderr).toContain('To remove that: svc login --store command\n');
    expect(await svc('login --store command')).toMatchObject({ code: 0, stdout: '' });
    expect(keychain.entries.size).toBe(0);
    expect(profile()).toMatchObject({ key_command: command });
    expect(readFileSync(join(home, 'config.json'), 'utf8')).not.toContain(goodKey);
    expect(await svc('balance')).toMatchObject({ code: 0, stdout: '12.50 RUB\n', stderr: '' });
    expect(requests.at(-1)).toContain(goodKey);
    expect((await svc('whoami')).stdout).toContain('Key\tsk-svc-0…cdef\tkey_command\n');
    expect((await svc('config list --json')).stdout).toMatch(/"source": ?"command"/);
    await svc('logout');
    expect((await svc('whoami')).code).toBe(4);
  });

  it('is split as a shell does, and nothing else of it', async () => {
    const { svc } = await scene({ key_command: `printf %s%s 'sk-svc-$(id)' "-b\\"c"` });
    expect((await svc('config get key --reveal')).stdout).toBe('sk-svc-$(id)-b"c\n');
  });

  it('comes after SVC_API_KEY and is not run for another origin', async () => {
    const { svc } = await scene({ key_command: 'false' });
    expect((await svc('balance', { env: { SVC_API_KEY: goodKey } })).code).toBe(0);
    const { stderr } = await svc('balance --base-url https://other.invalid');
    expect(stderr).toContain('the stored key belongs to');
  });

  it('is asked for at a terminal, and named where svc cannot ask', async () => {
    const { svc, profile } = await scene();
    const { stderr, code } = await svc('login --store command');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `error: cannot ask for the key here
hint: svc config set key_command 'COMMAND', then: svc login --store command --base-url URL
`,
    });
    const typed: [string, string][] = [
      ['Base URL', '\r'],
      ['Command for the key', `echo ${goodKey}\r`],
    ];
    expect((await svc('login --store command', { tty: true, typed })).code).toBe(0);
    expect(profile()).toMatchObject({ key_command: `echo ${goodKey}` });
    expect(profile()).not.toHaveProperty('key');
  });

  it.each([
    ['fails', `echo ${goodKey}; exit 3`, 'exit code 3'],
    ['prints nothing', 'echo hidden >&2', 'the key is empty'],
    ['prints two lines', `echo ${goodKey}; echo hidden`, 'the key contains a space, a line break'],
    ['prints escape sequences', "printf '\\033]0;hidden\\007'", 'the key contains a space'],
    ['prints too much', 'head -c 100000 /dev/zero | tr "\\0" h', 'it printed too much'],
  ])('that %s is an error that repeats nothing of it', async (_, lines, why) => {
    const { home, svc } = await scene({ key_command: script(lines) });
    for (const line of ['balance -v', 'balance --json', 'balance --dry-run']) {
      const { code, stdout, stderr } = await svc(line, { env: { SVC_DEBUG: '1' } });
      expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
      expect(stderr).toContain(`key_command gave no key: ${why}`);
      expect(stderr).toContain('svc config get key_command');
      expect(stderr).not.toMatch(/hidden|sk-svc|hhh|\x1b/);
    }
    const kept = readFileSync(join(home, 'data/last-failure.json'), 'utf8');
    expect(kept).toContain('"code":"key_command_failed"');
    expect(kept).not.toMatch(/hidden|sk-svc|hhh/);
  });

  it('has 5 seconds', async () => {
    const started = join(testFolder(), 'started');
    const { svc } = await scene({ key_command: `sh -c 'touch ${started}; sleep 600'` });
    const clock = new ManualClock();
    const ended = svc('balance', { clock });
    await expect.poll(() => existsSync(started), { timeout: 10_000, interval: 5 }).toBe(true);
    expect(clock.sleeps).toEqual([5000]);
    clock.pass(5000);
    expect((await ended).stderr).toContain('key_command gave no key: it was stopped after 5 s');
  });

  it('that runs svc for the same profile does not run itself again', async () => {
    const { svc } = await scene({ key_command: "sh -c 'echo key-for-$SVC_LOCAL'" });
    expect((await svc('config get key --reveal')).stdout).toBe('key-for-1\n');
  });

  it('is refused where it is no command', async () => {
    const { svc } = await scene();
    for (const line of ["'open", '[]', '["pass", 1]', '[broken', ' ']) {
      const { code, stderr } = await svc(['config', 'set', 'key_command', line, '--json']);
      expect({ code, stderr }).toMatchObject({ code: 2 });
      expect(stderr).toContain('bad_setting');
    }
  });

  it.each(['balance -v', 'balance --dry-run', 'balance --curl', 'api GET /nothing -v'])(
    'leaves no key in the output or a file of svc %s',
    async (line) => {
      const { home, svc } = await scene({ key_command: `echo ${goodKey.replace('7', "7''")}` });
      const { stdout, stderr } = await svc(line, { env: { SVC_DEBUG: '1' } });
      expect(stdout + stderr).not.toContain(goodKey);
      for (const name of readdirSync(home, { recursive: true, withFileTypes: true })) {
        if (!name.isFile()) continue;
        expect(readFileSync(join(name.parentPath, name.name), 'latin1')).not.toContain(goodKey);
      }
    },
  );
});

it('a key in the file loads no keychain', async () => {
  const before = keychain.loads;
  const { svc } = await scene();
  expect((await svc('balance')).code).toBe(0);
  expect(keychain.loads).toBe(before);
});
