import { chmodSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PNG } from 'pngjs';
import { expect, it, vi } from 'vitest';
import { testFolder } from '../../helpers/folder.js';
import { run } from '../../helpers/run.js';
import { scene } from '../generate/scene.js';

/** A viewer that writes down what it is given. */
function viewerIn(folder: string) {
  const shown = join(folder, 'shown');
  for (const name of ['xdg-open', 'open']) {
    writeFileSync(join(folder, name), `#!/bin/sh\nprintf %s "$1" > '${shown}'\n`);
    chmodSync(join(folder, name), 0o755);
  }
  const env = { PATH: `${folder}:/usr/bin:/bin` };
  const given = () => vi.waitFor(() => existsSync(shown) && readFileSync(shown, 'utf8'));
  return { env, shown, given };
}

it.skipIf(process.platform === 'win32')(
  'svc open opens the first saved result of a job on a terminal, and prints its path',
  async () => {
    const at = await scene();
    const { env, shown, given } = viewerIn(at.folder);
    const { stdout: path } = await at.make('a');
    expect(await at.svc('open @last', { env })).toMatchObject({ code: 0, stdout: path });
    expect(existsSync(shown)).toBe(false);
    const opened = await at.svc('open job_1', { env, tty: true });
    expect(opened).toMatchObject({ code: 0, stdout: path, stderr: '' });
    await vi.waitFor(async () => expect(`${String(await given())}\n`).toBe(path));
  },
);

it.each([
  ['success', 'run `svc jobs download job_1`'],
  ['processing', 'run `svc jobs wait job_1`'],
])('svc open says how to get the result of a job in state %s', async (status, hint) => {
  const at = await scene();
  at.media.states = [{ status }];
  await at.svc('generate vendor/canvas a --no-wait -q');
  await at.svc('jobs list');
  expect(await at.svc('open job_1')).toMatchObject({
    code: 12,
    stdout: '',
    stderr: `error: no result of job_1 is saved here\nhint: ${hint}\n`,
  });
});

it('svc open shows an image on the terminal with --preview, or says why not', async () => {
  const path = join(testFolder(), 'dot.png');
  writeFileSync(path, PNG.sync.write(new PNG({ width: 1, height: 1 })));
  const env = { TERM: 'xterm', COLORTERM: 'truecolor', PATH: '/none' };
  const shown = (words: string, tty: boolean) =>
    run(`open ${words} --preview`, { tty, env, colour: tty });
  expect((await shown(path, true)).stdout).toBe(`\u001b[0m \u001b[0m\n${path}\n`);
  const note = (why: string) => ({ code: 0, stderr: `no preview of ${path}: ${why}\n` });
  expect(await shown(path, false)).toMatchObject(note('stdout is not a terminal'));
  expect(await shown(`${path} --json`, true)).toMatchObject({ code: 2, stdout: '' });
  truncateSync(path, 9_000_000);
  expect(await shown(path, true)).toMatchObject(note('it is larger than 8 MB'));
});

it('svc open finds the manual and any file without an account', async () => {
  const manual = resolve('docs/manual/1-start.md');
  expect(await run('open docs')).toMatchObject({ code: 0, stdout: `${manual}\n` });
  const { stdout } = await run('open package.json --json');
  expect(JSON.parse(stdout)).toEqual({ path: resolve('package.json') });
  expect(await run('open lost.png')).toMatchObject({ code: 11, stdout: '' });
});

it.skipIf(process.platform !== 'linux')(
  'svc open still prints the path where no viewer is',
  async () => {
    const { code, stdout, stderr } = await run('open docs', { tty: true, env: { PATH: '/none' } });
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${resolve('docs/manual/1-start.md')}\n` });
    expect(stderr).toMatch(/^warning: xdg-open could not show the file: /);
  },
);
