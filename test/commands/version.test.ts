import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../docs/pages.js';
import type { Clock } from '../../src/lib/clock.js';
import { fakeService } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { PollingClock } from '../helpers/manual-clock.js';
import { fails, jsonOf, run } from '../helpers/run.js';

const sumOf = (path: string) =>
  createHash('sha256')
    .update(readFileSync(join(root, path)))
    .digest('hex');
const line = (path: string, sum = sumOf(path)) => `${sum}  svc-cli-0.0.0-test/${path}\n`;
const other = '0'.repeat(64);
/** What the clone has of the package: bin/, and dist/ if it was built. */
const files = ['bin', 'dist']
  .filter((folder) => existsSync(join(root, folder)))
  .flatMap((folder) => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`));
const all = files.map((path) => line(path)).join('');
const released = `${all}${other}  svc-cli-0.0.1/bin/svc.cjs\n${other}  a.zip\n`;

/** A server with this file as the sums of the release. */
const serving = (text: string) =>
  fakeService(({ url }, response) => {
    response.statusCode = url === '/SHA256SUMS' ? 200 : 404;
    response.end(text);
  });

it('prints the version, as JSON too', async () => {
  expect(await run('version')).toMatchObject({ code: 0, stdout: '0.0.0-test\n', stderr: '' });
  expect(await jsonOf(run('version --json'))).toEqual({ version: '0.0.0-test' });
});

it('compares its files with the sums of the release, which it asks for without a key', async () => {
  const { origin, requests, env } = await serving(released);
  const sums = `${origin}/SHA256SUMS`;
  const line = `version --verify --sums ${sums}`;
  expect(await run(line, { env })).toMatchObject({
    code: 0,
    stdout: `compared the ${files.length} files of svc in ${root} with ${sums}: svc 0.0.0-test is as released\n`,
    stderr: '',
  });
  expect(requests.map(({ headers }) => headers['authorization'])).toEqual([undefined]);
  expect(await jsonOf(run(`${line} --json`, { env }))).toMatchObject({
    ...{ version: '0.0.0-test', path: root, sums, verified: true, differing: [] },
  });
  const shown = { method: 'GET', url: sums };
  expect(await jsonOf(run(`${line} --dry-run`, { env }))).toEqual(shown);
  expect(requests).toHaveLength(2);
});

it('exits with 13 and names what differs, is not there or was added', async () => {
  const file = join(testFolder(), 'SHA256SUMS');
  const verify = (...words: string[]) => run(['version', '--verify', '--sums', file, ...words]);
  const gone = line('dist/gone.cjs', other);
  writeFileSync(file, released + gone);
  const ended = await verify();
  expect(ended).toMatchObject({ code: 13, stderr: 'hint: install it again from the release\n' });
  expect(ended.stdout).toMatch(/ is not as released: dist\/gone\.cjs\n$/);
  writeFileSync(file, released.replace(sumOf('bin/svc.cjs'), other));
  const changed = await verify('--json');
  expect(changed).toMatchObject({ code: 13, stderr: '' });
  const differing = ['bin/svc.cjs'];
  expect(JSON.parse(changed.stdout)).toMatchObject({ verified: false, differing });
  writeFileSync(file, gone);
  const added = await jsonOf(verify('--json'));
  expect(added).toMatchObject({ differing: ['dist/gone.cjs', ...files] });
});

it('says what is next where there are no sums', async () => {
  const hint = 'hint: download SHA256SUMS of the release 0.0.0-test, and name it with --sums';
  const none = 'there are no sums of svc 0.0.0-test:';
  const unnamed = fails(2, `${none} package.json of this build names no repository`, hint);
  expect(await run('version --verify')).toMatchObject(unnamed);
  const { origin } = await serving(`${other}  svc-cli-0.0.1/README.md\n`);
  const verify = (sums: string, clock?: Clock) =>
    run(['version', '--verify', '--sums', sums], { clock });
  const ofOther = fails(2, `${none} the file has none`, hint);
  expect(await verify(`${origin}/SHA256SUMS`)).toMatchObject(ofOther);
  const missing = fails(2, `--verify: ${origin}/v1: the server answered 404`);
  expect(await verify(`${origin}/v1`)).toMatchObject(missing);
  const unreached = await verify('http://127.0.0.1:1', new PollingClock());
  expect(unreached).toMatchObject(fails(6, 'error: --verify: '));
  expect(await verify('gone.txt')).toMatchObject(fails(2, '--sums: there is no file gone.txt'));
  expect(await verify('')).toMatchObject(fails(2, '--sums needs a file name'));
});
