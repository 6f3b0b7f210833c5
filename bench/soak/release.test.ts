/** What `npm run release` makes for all targets, around a small program. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exampleParts, flagsOf } from '../../src/command.js';
import { commandsIn } from '../../src/cli/map.js';
import { entries } from '../../src/commands/index.js';
import { root } from '../../test/docs/pages.js';
import { fakeService } from '../../test/helpers/fake-service.js';
import { testFolder } from '../../test/helpers/folder.js';
import { print, renderMan } from './print.js';
import { cloneProject, runScript, version } from './releases.js';

const commands = commandsIn(entries);
/** Seven targets are packed on a machine that may do other work. */
const timeout = 10 * 60_000;

let work = '';
let out = '';
beforeAll(() => {
  work = mkdtempSync(join(tmpdir(), 'svc-release-'));
  const program = join(work, 'program');
  const place = 'if [ "$1" = config ]; then echo \'  "data": "/home/x"\'; exit; fi';
  writeFileSync(program, `#!/bin/sh\n${place}\necho ${version}\n`, { mode: 0o755 });
  out = join(work, 'out');
  runScript('release.mjs', ['--out', out, '--binary', program]);
}, timeout);
afterAll(() => rmSync(work, { recursive: true }));

function listed(file: string): Map<string, string> {
  const lines = readFileSync(join(out, file), 'utf8').matchAll(/^(\S{64}) {2}(.+)$/gm);
  return new Map(Array.from(lines, ([, sum = '', name = '']) => [name, sum]));
}

const sha = (kind: string, bytes: Buffer) => createHash(kind).update(bytes).digest('hex');

test('SHA256SUMS covers each file, and another clone makes the same bytes', { timeout }, () => {
  const entriesOfOut = readdirSync(out, { withFileTypes: true });
  const files = entriesOfOut.flatMap((entry) => (entry.isFile() ? entry.name : []));
  const sums = listed('SHA256SUMS');
  const outer = [...sums.keys()].filter((name) => !name.includes('/'));
  expect([...outer, 'SHA256SUMS'].sort()).toEqual(files.sort());
  const again = join(work, 'again');
  const words = ['--out', again, '--binary', join(work, 'program')];
  runScript('release.mjs', words, cloneProject());
  print('diff', ['-r', again, out]);
});

test('each manifest names files of the release, with their sums', () => {
  const sums = listed('SHA256SUMS');
  const archives = (file: string) => {
    const text = readFileSync(join(out, file), 'utf8');
    const found = text.matchAll(/\/v[^/]+\/([\w.-]+)[^]*?([\da-fA-F]{64})/g);
    return Array.from(found, ([, name = '', sum = '']) => {
      expect(sum.toLowerCase()).toBe(sums.get(name));
      return name.replace(`svc-${version}-`, '').replace(/\..*/, '');
    }).sort();
  };
  const unix = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64'];
  expect(archives('svc-cli.rb')).toEqual(unix);
  expect(archives('svc-cli.nix')).toEqual(unix);
  expect(archives('svc-cli.json')).toEqual(['windows-x64']);
  expect(readFileSync(join(out, 'svc-cli.json'), 'utf8')).toMatch(/"homepage": ".*\/svc"/);
  expect(archives('svc.svc-cli.installer.yaml')).toEqual(['windows-x64']);
});

describe('the man pages', () => {
  const pages = () => join(out, `svc-${version}-linux-x64/man`);
  const rendered = (name: string) => renderMan(pages(), name);

  test('are one for each command, and show its options and examples unchanged', { timeout }, () => {
    expect(readdirSync(pages())).toHaveLength(commands.length + 1);
    expect(rendered('svc')).toContain('svc-jobs-list(1)');
    expect(rendered('svc')).toContain(
      'DESCRIPTION\n       svc is the command line of a prepaid service',
    );
    expect(rendered('svc')).toMatch(/ or socks5:[^]*\nFILES\n {7}~\/.config\/svc\/config.json\n/);
    expect(rendered('svc-login')).toMatch(/SEE ALSO\n.*svc-logout\(1\), .*svc-whoami\(1\)/);
    for (const { path, command } of commands) {
      const text = rendered(`svc-${path.replaceAll(' ', '-')}`);
      for (const example of command.examples ?? []) {
        expect(text).toContain(`           ${exampleParts(example)[0]}\n`);
      }
      for (const [name, option] of Object.entries(command.options ?? {})) {
        expect(text).toContain(`       ${flagsOf(name, option).replace(/<(.*)>$/, '$1')}`);
      }
    }
    expect(rendered('svc-chat')).toContain('default 10; at least 1\n');
  });

  test('give mandoc nothing to warn about', () => {
    print('mandoc', ['-T', 'lint', '-W', 'warning', ...readdirSync(pages())], { cwd: pages() });
  });
});

const doc = '/usr/share/doc/svc-cli';
const packaged = [
  '/usr/bin/svc',
  '/usr/share/bash-completion/completions/svc',
  '/usr/share/fish/vendor_completions.d/svc.fish',
  '/usr/share/zsh/site-functions/_svc',
  '/usr/share/man/man1/svc-chat.1.gz',
  `${doc}/LICENSE`,
  `${doc}/licenses.txt`,
  `${doc}/changelog`,
  `${doc}/manual/1-start.md`,
];

test('the .rpm is read by rpm', () => {
  const file = `svc-cli-${version}-1.aarch64.rpm`;
  const files = print('rpm', ['-qpl', file], { cwd: out }).split('\n');
  expect(files).toEqual(expect.arrayContaining(packaged));
  const tags = '%{ARCH} %{LICENSE} %{CONFLICTS} %{BUILDHOST}';
  const shown = print('rpm', ['-qp', '--qf', tags, file], { cwd: out });
  expect(shown).toBe('aarch64 MIT daemontools localhost');
});

test('the .apk is two streams, the first with the sum of the second, and a sum for each file', () => {
  const bytes = readFileSync(join(out, `svc-cli-${version}-r0.x86_64.apk`));
  const start = bytes.indexOf(Buffer.from([0x1f, 0x8b, 8, 0]), 10);
  const [control, data] = [bytes.subarray(0, start), bytes.subarray(start)];
  const [info, tar] = [gunzipSync(control), gunzipSync(data)];
  // Without the zeros that end a tar archive, it goes on with the second stream.
  expect(info.length).toBe(1024);
  expect(info.toString()).toContain(`\narch = x86_64\n`);
  expect(info.toString()).toContain(`\ndatahash = ${sha('sha256', data)}\n`);
  const folder = testFolder();
  writeFileSync(join(folder, 'data.tar'), tar);
  const names = print('tar', ['--warning=no-unknown-keyword', '-xvf', 'data.tar'], { cwd: folder })
    .split('\n')
    .filter((name) => /[^/]$/.test(name));
  expect(names.map((name) => `/${name}`)).toEqual(expect.arrayContaining(packaged));
  const sums = tar.toString('latin1').matchAll(/68 APK-TOOLS\.checksum\.SHA1=(.{40})\n/g);
  expect(Array.from(sums, ([, sum]) => sum)).toEqual(
    names.map((name) => sha('sha1', readFileSync(join(folder, name)))),
  );
});

describe('install.sh', () => {
  /** Runs it with the release on a server; `instead` has scripts to run in place of programs. */
  const install = async (
    downloader: string,
    instead: Readonly<Record<string, string>> = {},
    variables: Readonly<Record<string, string>> = {},
  ) => {
    const served = await fakeService(({ url }, response) => {
      response.end(readFileSync(join(out, url.replace(`/v${version}/`, ''))));
    });
    const folder = testFolder();
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    const needed = 'sh uname ldd grep mktemp sha256sum tar xz mkdir dirname cp mv rm rmdir cat';
    for (const name of `${needed} ${downloader}`.trim().split(' ')) {
      const [path = ''] = print('which', [name]).split('\n');
      const script = instead[name];
      if (!script) symlinkSync(path, join(bin, name));
      else writeFileSync(join(bin, name), `#!/bin/sh\nreal=${path}\n${script}`, { mode: 0o755 });
    }
    const prefix = join(folder, 'new folder');
    const env = { PATH: bin, PREFIX: prefix, SVC_RELEASE_URL: served.origin, ...variables };
    const script = (...words: string[]) =>
      new Promise<{ failed: boolean; stdout: string; stderr: string }>((resolve) =>
        execFile('sh', [join(out, 'install.sh'), ...words], { env }, (error, stdout, stderr) => {
          resolve({ failed: error !== null, stdout, stderr });
        }),
      );
    return { prefix, ...(await script()), script };
  };

  test.each(['curl', 'wget'])('installs with %s what matches its sum', async (program) => {
    const { prefix, stdout, stderr } = await install(program);
    expect(stdout).toContain(`${prefix}/bin/svc is version ${version}\nAdd it to PATH`);
    expect(stderr).toBe('');
    expect(print(join(prefix, 'bin/svc'), ['--version'])).toBe(`${version}\n`);
    expect(readdirSync(join(prefix, 'bin'))).toEqual(['svc']);
    expect(readdirSync(join(prefix, 'share/man/man1'))).toHaveLength(commands.length + 1);
    expect(readdirSync(join(prefix, 'share/zsh/site-functions'))).toEqual(['_svc']);
  });

  test.each([
    ['the sum differs', { curl: '"$real" "$@" && echo >>"$5"' }, /^error: svc-.* differs from SHA/],
    ['it is stopped', { cp: 'echo part >"$2"; kill -TERM $PPID' }, /^$/],
    ['a disk is full', { cp: 'echo part >"$2"; exit 1' }, /^error: .*bin\/svc was not written/],
    [
      'the binary does not start',
      { tar: '"$real" "$@"; for svc in svc-*/svc; do echo exit 1 >"$svc"; done' },
      /^error: svc does not start here/,
    ],
  ])('installs nothing when %s', async (_, instead, message) => {
    const { prefix, ...ended } = await install('curl', instead);
    expect(ended).toMatchObject({ failed: true, stdout: '' });
    expect(ended.stderr).toMatch(message);
    const left = existsSync(prefix) ? readdirSync(join(prefix, 'bin')) : [];
    expect(left).toEqual([]);
  });

  test.each([
    ['neither curl nor wget is there', '', {}, {}, 'curl or wget is needed; nothing was installed'],
    [
      'the archive cannot be unpacked',
      'curl',
      { tar: 'exit 1' },
      {},
      `svc-${version}-linux-x64.tar.xz was not unpacked; it needs tar with xz, and space in /tmp`,
    ],
    [
      'the folder is a file',
      'curl',
      {},
      { PREFIX: '/dev/null' },
      'no folder can be made in /dev/null;',
    ],
    ['there is no home', 'curl', {}, { PREFIX: '' }, 'HOME is not set; set PREFIX'],
  ])('says what to do where %s', async (_, downloader, instead, variables, message) => {
    const ended = await install(downloader, instead, variables);
    expect(ended).toMatchObject({
      failed: true,
      stdout: '',
      stderr: expect.stringMatching(`^error: ${message}.*\n$`),
    });
  });

  test('removes with --uninstall what it has installed, and nothing else', async () => {
    const { prefix, script } = await install('curl');
    expect(await script()).toMatchObject({ failed: false, stderr: '' });
    const others = ['bin/other', 'share/man/man1/svc-other.1'];
    for (const path of others) writeFileSync(join(prefix, path), '');
    expect(await script('--remove')).toMatchObject({
      failed: true,
      stderr: expect.stringContaining('--uninstall removes it'),
    });
    const removed = await script('--uninstall');
    expect(removed).toMatchObject({ failed: false, stderr: '' });
    expect(removed.stdout).toContain(`Removed ${prefix}/bin/svc\n`);
    expect(removed.stdout).toContain(`Removed ${String(commands.length + 1)} man pages from`);
    expect(removed.stdout).toMatch(/are not removed. They are in:\n {2}"data": "\/home\/x"\n$/);
    const left = readdirSync(prefix, { recursive: true, encoding: 'utf8', withFileTypes: true });
    const files = left.filter((entry) => entry.isFile());
    expect(files.map((entry) => entry.name).sort()).toEqual(['other', 'svc-other.1']);
    expect(existsSync(join(prefix, 'share/doc/svc-cli'))).toBe(false);
    const again = { failed: false, stdout: expect.stringMatching(/^Nothing to remove:.*\n$/) };
    expect(await script('--uninstall')).toMatchObject(again);
  });

  test('is portable', () => {
    print('shellcheck', [join(root, 'scripts/install.sh')]);
  });
});
