/** The program that runs against the sums of its release: from npm, and as the binary. */
import { createHash } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeBinary } from '../../test/bin/package.js';
import { root } from '../../test/docs/pages.js';
import { testFolder } from '../../test/helpers/folder.js';
import { print } from './print.js';
import { run } from './registry.js';

const version = /"version": "(.*)"/.exec(readFileSync(join(root, 'package.json'), 'utf8'))?.[1];
let work = '';
let sums = '';
beforeAll(() => {
  work = mkdtempSync(join(tmpdir(), 'svc-verify-'));
  const program = join(work, 'program');
  writeFileSync(program, `#!/bin/sh\n`, { mode: 0o755 });
  const words = ['--out', join(work, 'out'), '--binary', program, 'linux-x64', 'windows-x64'];
  print(process.execPath, ['scripts/release.mjs', ...words], { cwd: root });
  sums = join(work, 'out/SHA256SUMS');
}, 600_000);
afterAll(() => rm(work, { recursive: true }));

const verify = (...words: string[]) =>
  run(words[0] ?? '', [...words.slice(1), 'version', '--verify', '--json', '--sums', sums], {
    env: { SVC_CONFIG_DIR: testFolder() },
  });

test('the npm package of the same build is as released, until a file is changed', async () => {
  const [out, folder] = [testFolder(), testFolder()];
  // As the workflow of a release packs it: from the dist/ that the release was made of.
  const env = { ...process.env, SVC_PACK: 'installed' };
  await run(process.execPath, [join(root, 'scripts/npm-packages.mjs'), out], { cwd: root, env });
  print('tar', ['-xzf', join(out, `svc-cli-${version}.tgz`), '-C', folder]);
  const svc = [process.execPath, join(folder, 'package/bin/svc.cjs')];
  expect(JSON.parse((await verify(...svc)).stdout)).toMatchObject({ verified: true, sums });
  appendFileSync(join(folder, 'package/dist/help.txt'), ' ');
  await expect(verify(...svc)).rejects.toMatchObject({
    code: 13,
    stdout: expect.stringContaining('"dist/help.txt"'),
  });
}, 120_000);

test('the binary is as released where one of the sums is its own', async () => {
  expect(readFileSync(sums, 'utf8')).toMatch(
    new RegExp(
      `^\\w{64}  svc-${version}-linux-x64/svc\n\\w{64}  svc-${version}-windows-x64/svc.exe$`,
      'm',
    ),
  );
  const binary = await makeBinary();
  await expect(verify(binary)).rejects.toMatchObject({
    code: 13,
    stdout: expect.stringContaining('"svc"'),
  });
  const sum = createHash('sha256').update(readFileSync(binary)).digest('hex');
  appendFileSync(sums, `${sum}  svc-${version}-linux-arm64/svc\n`);
  expect(JSON.parse((await verify(binary)).stdout)).toMatchObject({ verified: true, path: binary });
}, 300_000);
