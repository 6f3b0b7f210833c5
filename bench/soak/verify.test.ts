/** The program that runs against the sums of its release: from npm, and as the binary. */
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod/mini';
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

/** A folder of an archive, before it was packed, and what is beside the archives. */
const places = () => [join(work, `out/svc-${version}-linux-x64`), join(work, 'out')];
const read = (...path: string[]) => readFileSync(join(...path), 'utf8');

test('an archive and the release say what they were made of, and by', () => {
  const commit = print('git', ['rev-parse', 'HEAD'], { cwd: root }).trim();
  const Sbom = z.looseObject({
    serialNumber: z.optional(z.never()),
    metadata: z.looseObject({ timestamp: z.string(), component: z.looseObject({}) }),
    components: z.array(
      z.looseObject({ 'bom-ref': z.string(), name: z.string(), version: z.string() }),
    ),
    dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()) })),
  });
  for (const [at, place] of places().entries()) {
    const facts: unknown = JSON.parse(read(place, 'build.json'));
    const sum = createHash('sha256').update(read(work, 'program')).digest('hex');
    const programs = { 'linux-x64': sum, ...(at === 1 && { 'windows-x64': sum }) };
    expect(facts).toMatchObject({ version, commit, node: process.version, programs });
    const { components, dependencies, ...sbom } = Sbom.parse(
      JSON.parse(read(place, 'sbom.cdx.json')),
    );
    expect(facts).toMatchObject({ sourceDate: sbom.metadata.timestamp });
    // All whose licence comes along, and the native parts and the runtime of each target.
    const licensed = Array.from(
      read(place, 'licenses.txt').matchAll(/^(\S+) (\d\S*) \([\w-].*\)$/gm),
      ([, name = '', ofVersion = '']) => `${name} ${ofVersion}`,
    );
    const named = components.map((one) => `${one.name} ${one.version}`);
    const others = /^Bun |^@napi-rs\/keyring |^@oven\/bun-|^@napi-rs\/keyring-/;
    const isShared = (one: string) => !others.test(one);
    expect(named.filter(isShared).sort()).toEqual([...new Set(licensed.filter(isShared))].sort());
    expect(named.filter((one) => others.test(one))).toHaveLength(at === 1 ? 4 : 2);
    const refs = new Set([...components.map((one) => one['bom-ref']), 'svc']);
    expect(refs.size).toBe(components.length + 1);
    const linked = dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]);
    expect(linked.filter((ref) => !refs.has(ref))).toEqual([]);
  }
});

test('no page of an archive links to what is not in it', () => {
  const [folder = ''] = places();
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const links = names
    .filter((name) => name.endsWith('.md'))
    .flatMap((name) =>
      Array.from(
        read(folder, name).matchAll(/\]\((?!https?:|#)([^)#]+)|src="(?!https?:)([^"]+)"/g),
        ([, link, picture]) => normalize(join(dirname(name), link ?? picture ?? '')),
      ),
    );
  expect(links.length).toBeGreaterThan(20);
  expect([...new Set(links)].filter((link) => !existsSync(join(folder, link)))).toEqual([]);
});

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
  // Where a build knows the address of its releases, it asks there.
  const mirror = { ...process.env, SVC_RELEASE_URL: 'https://mirror.example/svc' };
  const dist = join(folder, 'package/dist');
  await run(process.execPath, ['scripts/build.mjs', dist], { cwd: root, env: mirror });
  const [node = '', ...bin] = svc;
  const asked = await run(node, [...bin, 'version', '--verify', '--dry-run'], { env: {} });
  expect(asked.stdout).toContain(`"https://mirror.example/svc/v${version}/SHA256SUMS"`);
}, 120_000);

test('the binary is as released where one of the sums is its own', async () => {
  const named = Array.from(read(sums).matchAll(/^\w{64} {2}(svc-\d.*\/.*)$/gm), ([, name]) => name);
  const folders = [`svc-${version}-linux-x64`, `svc-${version}-windows-x64`];
  expect(named).toEqual([`${folders[0]}/svc`, `${folders[1]}/svc.exe`]);
  const binary = await makeBinary();
  await expect(verify(binary)).rejects.toMatchObject({
    code: 13,
    stdout: expect.stringContaining('"svc"'),
  });
  const sum = createHash('sha256').update(readFileSync(binary)).digest('hex');
  appendFileSync(sums, `${sum}  svc-${version}-linux-arm64/svc\n`);
  expect(JSON.parse((await verify(binary)).stdout)).toMatchObject({ verified: true, path: binary });
}, 300_000);
