/** `svc NAME` for a program svc-NAME: the real bin, with real programs. */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Interrupted } from '../../src/errors.js';
import { shellWord } from '../../src/lib/names.js';
import { homeWith } from '../helpers/config-home.js';
import { fakeKey } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { run } from '../helpers/run.js';
import { start, svc } from './svc.js';

/** Writes the program svc-demo; the environment in which PATH begins with its folder. */
function demo(script: string, folder = testFolder(), name = 'demo') {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `svc-${name}`), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return withPath(folder);
}

const withPath = (entry: string) => ({ PATH: `${entry}:${process.env['PATH'] ?? ''}` });

it('svc NAME runs svc-NAME with its words, its streams and its exit code', async () => {
  const env = demo('printf "<%s>" "$@"; cat; echo note >&2; exit 7');
  const words = ['demo', '--json', '--bogus', '-h', '--', 'a b', '$(id)', "it's"];
  expect(await svc(words, { env, stdin: 'piped' })).toEqual({
    code: 7,
    signal: null,
    stdout: "<--json><--bogus><-h><--><a b><$(id)><it's>piped",
    stderr: 'note\n',
  });
});

it('passes on the profile, the address and --local, and not the key of a profile', async () => {
  const home = homeWith({ profiles: { work: { base_url: 'https://a.example', key: fakeKey } } });
  const env = { ...demo('env | grep ^SVC_ | sort'), SVC_CONFIG_DIR: home };
  const line = ['--profile', 'work', '--base-url=http://b.example', '--local', 'demo'];
  const stdout = `SVC_BASE_URL=http://b.example\nSVC_CONFIG_DIR=${home}\nSVC_LOCAL=1\nSVC_PROFILE=work\n`;
  expect(await svc(line, { env })).toMatchObject({ code: 0, stdout });
  // What svc is for a program that calls it.
  const within = { SVC_LOCAL: '1', SVC_BASE_URL: 'http://127.0.0.1:1' };
  expect(await run('balance', { env: within })).toMatchObject({ code: 0, stdout: '1000.00 RUB\n' });
});

it.each(['--max-cost=1', '-q'])('is refused after %s, which it would not obey', async (option) => {
  const { code, stderr } = await run([option, 'demo'], { env: demo('echo ran >&2') });
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('before') });
});

it('runs nothing from the working folder, however PATH names it', async () => {
  const cwd = testFolder();
  demo('echo evil', cwd);
  const inside = demo('echo evil', join(cwd, 'bin'));
  const link = join(testFolder(), 'link');
  symlinkSync(cwd, link);
  for (const entry of ['', '.', 'bin', cwd, join(cwd, 'bin'), link, join(link, 'bin')]) {
    const result = await svc(['demo'], { cwd, env: withPath(entry) });
    const stderr = 'error: unknown command "demo"; did you mean do?\nhint: svc --help\n';
    expect(result, entry).toMatchObject({ code: 2, stdout: '', stderr });
  }
  // The folders of a home folder are the user's own, also where it is named by a link.
  for (const HOME of [cwd, link]) {
    const result = await svc(['demo'], { cwd, env: { ...inside, HOME } });
    expect(result, HOME).toMatchObject({ code: 0, stdout: 'evil\n' });
  }
});

it.each([
  [['balance', '--local'], 0],
  [['help', 'demo'], 2],
  [['--', 'demo'], 2],
  [['--bogus', 'demo'], 2],
  [['x/../demo'], 2],
  [['--version', 'demo'], 0],
])('runs no program for svc %j', async (words, code) => {
  const folder = testFolder();
  const ran = join(folder, 'ran');
  for (const name of ['balance', 'help', 'demo']) demo(`echo > ${ran}`, folder, name);
  expect(await run(words, { env: withPath(folder) })).toMatchObject({ code });
  expect(existsSync(ran)).toBe(false);
});

it('starts no program after Ctrl-C', async () => {
  const ran = join(testFolder(), 'ran');
  const signal = AbortSignal.abort(new Interrupted('SIGINT'));
  expect(await run(['demo'], { env: demo(`echo > ${ran}`), signal })).toMatchObject({ code: 130 });
  expect(existsSync(ran)).toBe(false);
});

it.each([
  ['whose interpreter is missing', '#!/none\n', {}, 'there is no such file or folder'],
  ['with a variable that is too long', '', { LONG: 'x'.repeat(2 ** 18) }, 'its arguments or'],
])('names a program %s', async (_, script, more, why) => {
  const folder = testFolder();
  writeFileSync(join(folder, 'svc-demo'), script, { mode: 0o755 });
  const { code, stderr } = await run(['demo'], { env: { ...withPath(folder), ...more } });
  expect(code).toBe(11);
  expect(stderr).toContain(`error: ${folder}/svc-demo cannot be run: ${why}`);
});

it.each(['SIGINT', 'SIGTERM'] as const)(
  'passes %s on, and lets the program decide when to end',
  async (signal) => {
    // Not a trap of sh: one that comes just before `read` waits does not end the wait.
    const program = `process.once('${signal}', () => console.log('caught'));
      process.stdin.once('data', () => process.exit(5));
      console.log('ready');`;
    const running = await start(['demo'], {
      env: demo(`exec ${shellWord(process.execPath)} -e ${shellWord(program)}`),
    });
    await running.shows('ready');
    running.child.kill(signal);
    await running.shows('caught');
    running.child.stdin.end('\n');
    expect(await running.ended).toMatchObject({ code: 5, signal: null });
  },
);

it('ends as a shell does where a signal ends the program', async () => {
  expect(await svc(['demo'], { env: demo('kill -KILL $$') })).toMatchObject({ code: 137 });
});
