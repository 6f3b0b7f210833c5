import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { fakeService, json } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { installed } from './package.js';
import { bash, svc } from './svc.js';

const echo = ['--local', 'chat', '-m', 'local/echo', 'hi'];
const said = { code: 0, signal: null, stdout: 'hi\n', stderr: '' };

let folder: string;
beforeAll(async () => {
  folder = await installed();
});

describe('what svc answers at once', () => {
  it('is the version of the package, as the full program prints it', async () => {
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    for (const words of [['--version'], ['-V'], ['-V', '-q'], ['-q', '--version', '--json']]) {
      const result = await svc(words);
      expect(result, words.join(' ')).toEqual({ ...said, stdout: `${version}\n` });
    }
  });

  it('is the general help, as the full program prints it', async () => {
    const long = await svc(['-q', '--help']);
    expect(long).toMatchObject({ code: 0, stderr: '' });
    expect(long.stdout).toMatch(/^Usage: svc /);
    for (const words of [[], ['--help'], ['-h'], ['help'], ['help', '-q']]) {
      expect(await svc(words), words.join(' ')).toEqual(long);
    }
  });

  it('is in part the manual, which is installed too', async () => {
    const { stdout } = await svc(['open', 'docs']);
    expect(readFileSync(stdout.trim(), 'utf8')).toMatch(/^# /);
  });

  it('has its titles in bold in the copy for terminals, and under FORCE_COLOR', async () => {
    const styled = readFileSync(join(folder, 'dist/help-styled.txt'), 'utf8');
    expect(styled.startsWith('\u001b[1mUsage:\u001b[22m svc ')).toBe(true);
    for (const words of [['--help'], ['help']]) {
      expect(await svc(words, { env: { FORCE_COLOR: '1' } })).toMatchObject({ stdout: styled });
    }
  });

  it('is nothing that only looks like these flags', async () => {
    const help = await svc(['chat', '--help']);
    expect(help.stdout).toMatch(/^Usage: svc chat /);
    expect(await svc(['--local', 'chat', '-m', 'local/echo', '--', '--version'])).toEqual({
      ...said,
      stdout: '--version\n',
    });
    expect(await svc(['--versio'])).toMatchObject({ code: 2, stdout: '' });
  });
});

it('is ASCII, for the loader reads it byte by byte', () => {
  const files = readdirSync(join(folder, 'dist')).filter((name) => name.endsWith('.cjs'));
  const others = files.filter((name) =>
    readFileSync(join(folder, 'dist', name)).some((byte) => byte > 0x7f),
  );
  expect(others).toEqual([]);
});

it('reads no more code at every start than it needs, and asks with little more', () => {
  const bytes = (path: string) => readFileSync(join(folder, 'dist', path)).length;
  // The texts of the schema library in all languages would be 260 KB of it.
  expect(bytes('svc.cjs')).toBeLessThan(700_000);
  const all = readdirSync(join(folder, 'dist')).filter((name) => name.endsWith('.cjs'));
  // Questions in a text editor would bring 550 KB of encodings.
  expect(all.filter((name) => readFileSync(join(folder, 'dist', name)).includes('iconv'))).toEqual(
    [],
  );
});

it.each([
  ['balance', 'string-width|wrap|table|sql|questions|zod'],
  ['chat -m m hi --no-log', 'string-width|table|sql|questions|ledger'],
])('loads for `svc %s` nothing of what only others need: %s', async (line, names) => {
  const { env } = await fakeService(json({ balance_rub: 1 }));
  const hook = join(testFolder(), 'hook.cjs');
  const loader = JSON.stringify(join(folder, 'dist/loader.cjs'));
  writeFileSync(
    hook,
    `const loader = require(${loader});
     const { load } = loader;
     loader.load = (name) => (process.stderr.write('loads ' + name + '\\n'), load(name));`,
  );
  const nodeFlags = ['--require', hook];
  const { stderr } = await svc(line.split(' '), { env, nodeFlags, package: folder });
  expect(stderr).toMatch(/^loads errors-/m);
  expect(stderr).not.toMatch(new RegExp(`^loads (?:${names})-`, 'm'));
});

describe('svc starts', () => {
  it('starts in any folder, of which it reads nothing', async () => {
    const cwd = testFolder();
    mkdirSync(join(cwd, 'dist'));
    for (const name of ['config.json', 'package.json', '.env', '.npmrc']) {
      cpSync(join(folder, 'package.json'), join(cwd, name));
    }
    const before = readdirSync(cwd);
    expect(await svc(echo, { cwd })).toEqual(said);
    expect(readdirSync(cwd)).toEqual(before);
  });

  it('starts in a folder that has been removed', async () => {
    const line = 'mkdir gone && cd gone && rmdir ../gone && svc --local chat -m local/echo hi';
    expect(await bash(line)).toEqual(said);
  });

  it('starts through links, as npm links bins', async () => {
    const links = testFolder();
    symlinkSync(join(folder, 'bin/svc.cjs'), join(links, 'svc'));
    symlinkSync(join(links, 'svc'), join(links, 'again'));
    chmodSync(join(folder, 'bin/svc.cjs'), 0o755);
    const path = `PATH="${links}:${dirname(process.execPath)}:$PATH"`;
    expect(await bash(`${path}; command again --local chat -m local/echo hi`)).toEqual(said);
    const version = await bash(`${path}; command svc --version`);
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('starts from a folder with odd letters in its name', async () => {
    const odd = join(testFolder(), "a b#%?ü'");
    cpSync(folder, odd, { recursive: true, verbatimSymlinks: true });
    expect(await svc(echo, { package: odd })).toEqual(said);
    expect(await svc(['--version'], { package: odd })).toMatchObject({ code: 0 });
  });

  it('starts with no HOME, or one that leads nowhere', async () => {
    const place = { XDG_DATA_HOME: testFolder(), XDG_CONFIG_HOME: testFolder() };
    for (const HOME of [undefined, '', '/dev/null', 'relative']) {
      const env = { ...place, HOME, SVC_CONFIG_DIR: undefined };
      expect(await svc(echo, { env }), String(HOME)).toEqual(said);
    }
  });
});
