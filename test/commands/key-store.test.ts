import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { accountOf } from '../../src/state/account.js';
import { systemClock } from '../../src/lib/clock.js';
import { accountService, goodKey } from '../helpers/account-service.js';
import { gate } from '../helpers/gate.js';
import { keyHome, script } from '../helpers/key-home.js';

/** A keychain in memory, and what it refuses to do. */
const keychain = vi.hoisted(() => {
  const before: (verb: string) => unknown = () => undefined;
  const usual = { refuses: '', before, isReal: false };
  return { entries: new Map<string, string>(), ...usual, usual };
});
vi.mock('@napi-rs/keyring', async (original) => {
  const real = await original<typeof import('@napi-rs/keyring')>();
  class AsyncEntry {
    readonly #name: string;
    constructor(service: string, name: string) {
      this.#name = `${service}/${name}`;
    }
    async #act<Result>(verb: string, act: () => Result): Promise<Result> {
      await keychain.before(verb);
      if (keychain.refuses === verb) throw new Error('DBus error');
      return act();
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
  Object.assign(keychain, keychain.usual);
});

const unusable = 'the keychain of this system cannot be used';

async function keychainHome() {
  const home = await keyHome();
  await home.login('keychain');
  return home;
}

it('a key in the keychain is moved there from the file, used, and moved back, and is never in both', async () => {
  const { login, origin, svc, profile, requests } = await keyHome();
  expect((await login('keychain')).code).toBe(0);
  expect([...keychain.entries.values()]).toEqual([goodKey]);
  const [name = ''] = keychain.entries.keys();
  expect(name).toMatch(/^svc\/default [0-9a-f]{8}$/);
  const where = { key_entry: name.slice(4), key_hash: accountOf('', '', goodKey).keyHash };
  expect(profile()).toEqual({ base_url: origin, key_origin: origin, ...where });
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

it('a key in the keychain is named as the source, and is read only where it is shown', async () => {
  const { home, svc } = await keychainHome();
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

it('a key in the keychain is not sent to another origin, and not read for it', async () => {
  const { svc } = await keychainHome();
  const { origin, requests } = await accountService();
  keychain.refuses = 'get';
  const { code, stderr } = await svc(`balance --base-url ${origin}`);
  expect(code).toBe(4);
  expect(stderr).toContain('the stored key belongs to');
  await svc(`config set base_url ${origin}`);
  expect((await svc('balance')).stderr).toContain('the stored key belongs to');
  expect(requests).toEqual([]);
});

it.each(['logout', 'logout --all', 'config unset key', 'config profiles --delete default'])(
  'a key in the keychain is removed by svc %s',
  async (line) => {
    const { svc } = await keychainHome();
    expect((await svc(line, { tty: true, typed: [['?', 'y\r']] })).code).toBe(0);
    expect(keychain.entries.size).toBe(0);
    expect((await svc('whoami')).code).toBe(4);
  },
);

it('a key in the keychain is not lost where svc logs in and out at the same time', async () => {
  const { svc, profile } = await keychainHome();
  const waits = gate();
  const sleep: typeof systemClock.sleep = (...of) => {
    waits.open();
    return systemClock.sleep(...of);
  };
  const clock = { ...systemClock, sleep };
  let other: ReturnType<typeof svc> | undefined;
  keychain.before = (verb) => {
    if (verb !== 'delete' || other) return undefined;
    other = svc('login --with-key --store keychain', { stdin: goodKey, clock });
    return Promise.race([other, waits.opened]);
  };
  await svc('logout');
  expect((await other)?.code).toBe(0);
  expect([...keychain.entries.keys()]).toEqual([`svc/${String(profile()?.['key_entry'])}`]);
});

it('a key in the keychain stays one for each profile', async () => {
  const { svc, origin } = await keychainHome();
  const work = `login --with-key --store keychain --profile work --base-url ${origin}`;
  await svc(work, { stdin: goodKey });
  expect([...keychain.entries.keys()].join()).toMatch(/^svc\/default \w+,svc\/work \w+$/);
  await svc('logout --profile work');
  expect([...keychain.entries.keys()].join()).toMatch(/^svc\/default \w+$/);
});

/** Both of the names under which svc keeps a key of the profile. */
async function named() {
  const home = await keychainHome();
  const first = String(home.profile()?.['key_entry']);
  await home.login('keychain');
  const second = String(home.profile()?.['key_entry']);
  return { ...home, first: `svc/${first}`, second: `svc/${second}` };
}

it('after a login that is killed at most one key is left in the keychain, because the config file names the other until the new one is there', async () => {
  const { login, profile, first, second } = await named();
  expect([...keychain.entries.keys()]).toEqual([second]);
  const seen: string[] = [];
  keychain.before = (verb) => seen.push(`${verb} ${String(profile()?.['key_entry'])}`);
  await login('keychain');
  expect([...keychain.entries.keys()]).toEqual([first]);
  const [before, after] = [second.slice(4), first.slice(4)];
  expect(seen.slice(0, 3)).toEqual([`set ${before}`, `get ${before}`, `delete ${after}`]);
});

it.each(['keychain', 'file'])(
  'svc login --store %s removes what a killed login left in the keychain',
  async (store) => {
    const { login, first, profile } = await named();
    keychain.entries.set(first, 'left over');
    await login(store);
    const kept = profile()?.['key_entry'];
    expect([...keychain.entries]).toEqual(kept === undefined ? [] : [[first, goodKey]]);
  },
);

it.each(['logout', 'logout --all', 'config unset key', 'config profiles --delete default --yes'])(
  'svc %s removes the key that a killed login left in the keychain, also where the key is in the file',
  async (line) => {
    const { login, svc, first, second } = await named();
    await login('file');
    for (const name of [first, second, 'svc/other']) keychain.entries.set(name, 'left over');
    expect((await svc(line)).code).toBe(0);
    expect([...keychain.entries.keys()]).toEqual(['svc/other']);
  },
);

it('svc logout --all removes the key that a killed login left in the keychain, without a config file', async () => {
  const { home, svc, first } = await named();
  keychain.entries.set(first, 'left over');
  rmSync(join(home, 'config.json'));
  expect((await svc('logout --all')).stderr).toBe('No key is stored for any profile.\n');
  expect(keychain.entries.size).toBe(0);
});

it('an entry of the keychain that an earlier svc named is used and removed', async () => {
  const { svc, login } = await keyHome({ key_entry: 'default 950a8659' });
  keychain.entries.set('svc/default 950a8659', goodKey);
  expect((await svc('balance')).code).toBe(0);
  await login('keychain');
  expect([...keychain.entries.keys()]).not.toContain('svc/default 950a8659');
  expect(keychain.entries.size).toBe(1);
});

it('svc logout --all leaves in the keychain the key of a profile of the same name in another folder', async () => {
  await keychainHome();
  const { svc } = await keychainHome();
  expect(keychain.entries.size).toBe(2);
  await svc('logout --all');
  expect(keychain.entries.size).toBe(1);
});

describe('when the keychain fails', () => {
  it.each(['set', 'get'])('the key stays in the file at "%s"', async (verb) => {
    const { login, profile } = await keyHome();
    keychain.refuses = verb;
    expect(await login('keychain')).toMatchObject({
      code: 4,
      stderr: `error: ${unusable}
hint: unlock or start it (on Linux a Secret Service, such as gnome-keyring); to keep the key in a file: svc login --store file
`,
    });
    expect(profile()).toMatchObject({ key: goodKey });
    expect(keychain.entries.size).toBe(0);
  });

  it('no key is left over where the config file cannot be written', async () => {
    const { home, login } = await keyHome();
    // A folder in its place cannot be replaced.
    keychain.before = (verb) => {
      if (verb !== 'get') return;
      rmSync(join(home, 'config.json'));
      mkdirSync(join(home, 'config.json/in the way'), { recursive: true });
    };
    expect((await login('keychain')).code).toBe(11);
    expect(keychain.entries.size).toBe(0);
  });

  it('the new key is stored, and the old one named, where the old one cannot be removed', async () => {
    const { login, profile } = await keychainHome();
    keychain.refuses = 'delete';
    const { code, stderr } = await login('file');
    expect(code).toBe(0);
    expect(stderr).toMatch(/warning: the earlier key stays in the keychain as svc, "default \w+"/);
    expect(stderr).toContain('": unlock the keychain and delete it there\n');
    expect(stderr).not.toContain('--store file');
    expect(profile()).toMatchObject({ key: goodKey });
    expect(profile()).not.toHaveProperty('key_entry');
  });

  it('the profile still names the entry after a svc logout that fails', async () => {
    const { svc, profile } = await keychainHome();
    keychain.refuses = 'delete';
    expect((await svc('logout')).code).toBe(4);
    expect(profile()).toHaveProperty('key_entry');
    keychain.entries.clear();
    const lost = await svc('balance');
    expect(lost.stderr).toContain('the keychain does not hold the key of profile "default"');
    keychain.refuses = '';
    expect((await svc('logout')).stderr).toBe('Removed the key of profile "default".\n');
  });

  it('svc logout --all removes the other keys where one cannot be', async () => {
    const { home, origin, svc, profile } = await keychainHome();
    await svc(`login --with-key --profile work --base-url ${origin}`, { stdin: goodKey });
    keychain.refuses = 'delete';
    const first = await svc('logout --all');
    expect(first.code).toBe(4);
    expect(first.stderr).toContain(`Removed the key of profile "work".\nerror: ${unusable}\n`);
    expect((await svc('logout --all')).stderr).toMatch(/^error: the keychain/);
    expect(readFileSync(join(home, 'config.json'), 'utf8')).not.toContain(goodKey);
    expect(profile()).toHaveProperty('key_entry');
  });

  it('svc doctor says so of the key, and checks the network', async () => {
    const { origin, svc } = await keychainHome();
    expect((await svc('doctor')).stdout).toContain(
      'key\tok\tsk-svc-0…cdef (keychain), accepted by the service\t\n',
    );
    keychain.refuses = 'get';
    const { code, stdout } = await svc('doctor');
    expect(code).toBe(4);
    expect(stdout).toContain(`address\tok\t${origin} (profile)\t\n`);
    expect(stdout).toContain('connection\tok\t');
    expect(stdout).toContain(`key\tproblem\t${unusable}\t`);
    expect(stdout).toContain('unfinished\tok\tnone\t');
  });

  it.skipIf(process.platform !== 'linux')('the real package says so, and svc too', async () => {
    const { svc, profile } = await keyHome();
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

it('key_command prints the key for each run, and neither file nor keychain has it', async () => {
  const { home, svc, profile, requests } = await keychainHome();
  const command = script(`[ "$1" = 'an argument' ] && echo '  ${goodKey}'; echo no >&2`);
  const set = await svc(['config', 'set', 'key_command', command]);
  expect(set.stderr).toContain('To remove that: svc login --store command\n');
  expect(profile()).not.toHaveProperty('key_hash');
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
