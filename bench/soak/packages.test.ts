/** The files of a release with the binary in them, as people get them: unpacked or installed, and run. */
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeBinary } from '../../test/bin/package.js';
import { testFolder } from '../../test/helpers/folder.js';
import { print } from './print.js';
import { cloneProject, runScript, version } from './releases.js';

/** 140 MB are packed on a machine that may do other work. */
const timeout = 10 * 60_000;

let work = '';
let out = '';
let binary = '';
beforeAll(async () => {
  work = mkdtempSync(join(tmpdir(), 'svc-packages-'));
  out = join(work, 'out');
  binary = await makeBinary();
  // The target of .apk gets the same binary, since that of another C library is not run here.
  const words = ['--out', out, '--binary', binary, '--level', '0'];
  runScript('release.mjs', [...words, 'linux-x64', 'linux-x64-musl']);
}, timeout);
afterAll(() => {
  rmSync(work, { recursive: true });
});

function expectToAnswer(svc: string): void {
  const env = { SVC_CONFIG_DIR: testFolder() };
  expect(print(svc, ['--local', 'chat', '-m', 'local/echo', 'hi'], { env })).toBe('hi\n');
}

/** @param system a folder in place of / */
function expectToWork(system: string): void {
  expectToAnswer(join(system, 'usr/bin/svc'));
  const page = print('man', ['-M', join(system, 'usr/share/man'), 'svc-chat']);
  expect(page).toContain('--max-tokens');
  const load = `. ${system}/usr/share/bash-completion/completions/svc; complete -p svc`;
  expect(print('bash', ['-c', load])).toContain('-F _svc svc');
}

test('sha256sum finds each file and each program as SHA256SUMS says', () => {
  const words = ['--check', '--strict', '--ignore-missing', 'SHA256SUMS'];
  const checked = print('sha256sum', words, { cwd: out }).replaceAll(': OK', '').trim().split('\n');
  const entries = readdirSync(out, { withFileTypes: true });
  const found = entries.map((entry) => (entry.isFile() ? entry.name : `${entry.name}/svc`));
  expect(['SHA256SUMS', ...checked].sort()).toEqual(found.sort());
});

test('the archive has what the release was made of, and answers', () => {
  const folder = testFolder();
  const name = `svc-${version}-linux-x64`;
  print('tar', ['-xJf', join(out, `${name}.tar.xz`)], { cwd: folder });
  print('diff', ['-r', join(out, name), join(folder, name)]);
  expectToAnswer(join(folder, name, 'svc'));
});

test('the .deb is installed, works, and is removed without a trace', () => {
  const system = testFolder();
  const files = () => {
    const all = readdirSync(system, { recursive: true, encoding: 'utf8' });
    return all.filter((path) => !/^var(\/|$)/.test(path));
  };
  mkdirSync(join(system, 'var/lib/dpkg/updates'), { recursive: true });
  mkdirSync(join(system, 'var/lib/dpkg/info'));
  // A system that has what the package depends on.
  for (const [name, ofVersion] of Object.entries({ libc6: '2.18-1', 'libgcc-s1': '1' })) {
    const state = `Package: ${name}\nStatus: install ok installed\nVersion: ${ofVersion}\n`;
    const rest = 'Architecture: amd64\nMaintainer: x\nDescription: x\n\n';
    appendFileSync(join(system, 'var/lib/dpkg/status'), state + rest);
    writeFileSync(join(system, `var/lib/dpkg/info/${name}.list`), '');
  }
  const dpkg = (...words: string[]) =>
    print('dpkg', [`--root=${system}`, '--force-not-root', '--log=/dev/null', ...words]);
  const file = join(out, `svc-cli_${version}_amd64.deb`);
  dpkg('--install', file);
  const input = print('dpkg-deb', ['--info', file, 'md5sums']);
  print('md5sum', ['--check', '--quiet'], { cwd: system, input });
  expectToWork(system);
  expect(files()).toContain('usr/share/doc/svc-cli/copyright');
  dpkg('--purge', 'svc-cli');
  expect(files()).toEqual([]);
});

test('the .rpm has the sums that it says, works, and owns the folders of its pages', () => {
  const system = testFolder();
  const file = join(out, `svc-cli-${version}-1.x86_64.rpm`);
  print('rpm', ['--checksig', '--nosignature', file]);
  print('sh', ['-c', 'rpm2archive - <"$1" | tar -xz -C "$2"', 'sh', file, system]);
  expectToWork(system);
  // What no package owns stays when the package is removed.
  const owned = print('rpm', ['-qpl', file]).split('\n');
  const folders = print('find', ['usr/share/doc/svc-cli', '-type', 'd'], { cwd: system });
  const named = folders.trim().split('\n');
  expect(named.length).toBeGreaterThan(2);
  expect(owned).toEqual(expect.arrayContaining(named.map((path) => `/${path}`)));
});

test('the .apk is unpacked by tar, and works', () => {
  const system = testFolder();
  const words = ['--warning=no-unknown-keyword', '-xzf'];
  const file = join(out, `svc-cli-${version}-r0.x86_64.apk`);
  print('tar', [...words, file, '-C', system]);
  expect(readdirSync(system).sort()).toEqual(['.PKGINFO', 'usr']);
  expectToWork(system);
});

test(
  'a clone in another folder, time zone and locale makes the same binary',
  () => {
    const other = join(work, 'other/svc');
    const clone = cloneProject();
    runScript('build.mjs', [], clone);
    runScript('release/binary.mjs', [`linux-${process.arch}`, other], clone);
    expect(readFileSync(other).equals(readFileSync(binary))).toBe(true);
  },
  timeout,
);
