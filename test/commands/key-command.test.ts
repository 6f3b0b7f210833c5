import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { installation } from '../../src/commands/update/installation.js';
import { goodKey } from '../helpers/account-service.js';
import { testFolder } from '../helpers/folder.js';
import { keyHome, script } from '../helpers/key-home.js';
import { ManualClock } from '../helpers/manual-clock.js';

vi.mock('@napi-rs/keyring', () => {
  throw new Error('it is not installed');
});

it('only a key in the keychain needs @napi-rs/keyring', async () => {
  const { login, svc, profile } = await keyHome();
  expect((await svc('balance')).code).toBe(0);
  expect(await login('keychain')).toMatchObject({
    code: 4,
    stderr: `error: svc is installed without @napi-rs/keyring
hint: install svc with its optional packages: ${installation().command}; to keep the key in a file: svc login --store file
`,
  });
  expect(profile()).toHaveProperty('key', goodKey);
});

describe('key_command', () => {
  it('is split as a shell does, and nothing else of it', async () => {
    const { svc } = await keyHome({ key_command: `printf %s%s 'sk-svc-$(id)' "-b\\"c"` });
    expect((await svc('config get key --reveal')).stdout).toBe('sk-svc-$(id)-b"c\n');
  });

  it('comes after SVC_API_KEY and is not run for another origin', async () => {
    const { svc } = await keyHome({ key_command: 'false' });
    expect((await svc('balance', { env: { SVC_API_KEY: goodKey } })).code).toBe(0);
    const { stderr } = await svc('balance --base-url https://other.invalid');
    expect(stderr).toContain('the stored key belongs to');
  });

  it('is asked for at a terminal, and named where svc cannot ask', async () => {
    const { svc, profile } = await keyHome();
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
  ])('a key_command that %s is an error that repeats nothing of it', async (_, lines, why) => {
    const { home, svc } = await keyHome({ key_command: script(lines) });
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

  it('is never a program of the working folder', async () => {
    const { svc } = await keyHome({ key_command: './gk' });
    const { code, stderr } = await svc('balance');
    expect({ code, stderr }).toMatchObject({ code: 4 });
    expect(stderr).toContain(
      'key_command gave no key: its program must be a name in PATH or an absolute path\n',
    );
  });

  it('a key_command that contains the key itself is refused, and not shown', async () => {
    const { svc, profile } = await keyHome();
    const line = 'echo sk-svc-Abc123Def456Ghi789';
    const { code, stderr } = await svc(['config', 'set', 'key_command', line]);
    expect({ code, stderr }).toMatchObject({ code: 2 });
    expect(stderr).toContain('a key cannot be given as an argument');
    expect(stderr).not.toContain('Abc123');
    expect(profile()).not.toHaveProperty('key_command');
  });

  it('a key_command that does not exist is not named', async () => {
    const { home, svc } = await keyHome({ key_command: '"/hidden/a key" hidden' });
    const { stderr } = await svc('balance', { env: { SVC_DEBUG: '1' } });
    expect(stderr).toContain(
      'key_command gave no key: it could not be run: there is no such file or folder\n',
    );
    const kept = readFileSync(join(home, 'data/last-failure.json'), 'utf8');
    expect(stderr + kept).not.toContain('hidden');
  });

  it('has 5 seconds', async () => {
    const started = join(testFolder(), 'started');
    const { svc } = await keyHome({ key_command: `sh -c 'touch ${started}; sleep 600'` });
    const clock = new ManualClock();
    const ended = svc('balance', { clock });
    await expect.poll(() => existsSync(started), { timeout: 10_000, interval: 5 }).toBe(true);
    expect(clock.sleeps).toEqual([5000]);
    clock.pass(5000);
    expect((await ended).stderr).toContain('key_command gave no key: it was stopped after 5 s');
  });

  it('a key_command that runs svc for the same profile does not run itself again', async () => {
    const { svc } = await keyHome({ key_command: "sh -c 'echo key-for-$SVC_LOCAL'" });
    expect((await svc('config get key --reveal')).stdout).toBe('key-for-1\n');
  });

  it('is refused where it is no command', async () => {
    const { svc } = await keyHome();
    const noProgram = ['""', './gk', 'bin/gk key', '~/gk', '["./gk"]', '["gk", "\\u0000"]'];
    for (const line of ["'open", '[]', '["pass", 1]', '[broken', ' ', ...noProgram]) {
      const { code, stderr } = await svc(['config', 'set', 'key_command', line, '--json']);
      expect({ code, stderr }).toMatchObject({ code: 2 });
      expect(stderr).toContain('bad_setting');
    }
  });

  it.each(['balance -v', 'balance --dry-run', 'balance --curl', 'api GET /nothing -v'])(
    'leaves no key in the output or a file of svc %s',
    async (line) => {
      const { home, svc } = await keyHome({ key_command: `echo ${goodKey.replace('7', "7''")}` });
      const { stdout, stderr } = await svc(line, { env: { SVC_DEBUG: '1' } });
      expect(stdout + stderr).not.toContain(goodKey);
      for (const name of readdirSync(home, { recursive: true, withFileTypes: true })) {
        if (!name.isFile()) continue;
        expect(readFileSync(join(name.parentPath, name.name), 'latin1')).not.toContain(goodKey);
      }
    },
  );
});
