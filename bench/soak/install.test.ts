/** What package managers make of the package; npm fetches the others from its registry. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../../test/docs/pages.js';
import { contentOf, Manifest, newUser, run } from './registry.js';

const managers: [name: string, natives: number, ...words: string[]][] = [
  ['pnpm', 1, 'add'],
  ['bun', 1, 'add'],
  ['@yarnpkg/cli-dist', 1, 'add'],
  // Of the years before `libc`: it installs both.
  ['yarn@1', 2, 'add', '--no-lockfile'],
];

test.each(managers)(
  '%s installs it, with %i native part',
  async (name, natives, ...words) => {
    const { env, home, registry } = await newUser();
    const fetched = join(home, 'fetched');
    const fetching = ['install', '--prefix', fetched, name];
    try {
      await run('npm', fetching, {});
    } catch (error) {
      console.warn(`${name} was not tried, because npm cannot fetch it`, error);
      return;
    }
    const project = join(home, 'project');
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{}');
    writeFileSync(join(project, 'yarn.lock'), '');
    writeFileSync(join(project, '.npmrc'), `registry=${registry}\n`);
    const settings = {
      YARN_NPM_REGISTRY_SERVER: registry,
      YARN_UNSAFE_HTTP_WHITELIST: '127.0.0.1',
      YARN_NPM_MINIMAL_AGE_GATE: '0',
      YARN_CACHE_FOLDER: join(home, 'cache'),
      YARN_NODE_LINKER: 'node-modules',
      YARN_ENABLE_TELEMETRY: '0',
      YARN_ENABLE_IMMUTABLE_INSTALLS: '0',
    };
    const manager = join(fetched, 'node_modules/.bin', /pnpm|bun/.exec(name)?.[0] ?? 'yarn');
    await run(manager, [...words, 'svc-cli'], { cwd: project, env: { ...env, ...settings } });
    expect(contentOf(join(project, 'node_modules')).natives).toHaveLength(natives);
    const svc = join(project, 'node_modules/.bin/svc');
    const asked = ['--local', 'chat', '-m', 'local/echo', 'hi'];
    expect(await run(svc, asked, { env })).toEqual({ stdout: 'hi\n', stderr: '' });
  },
  240_000,
);

test('npm installs it without a warning, for a project, for all and for npx, in 15 MB', async () => {
  const { env, home } = await newUser();
  const project = join(home, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{}');
  const npm = (...words: string[]) => run('npm', words, { cwd: project, env });
  const asked = ['--local', 'chat', '-m', 'local/echo', 'hi'];
  const inProject = await npm('install', 'svc-cli');
  expect(inProject.stderr).toBe('');
  const { bytes, natives } = contentOf(join(project, 'node_modules'));
  expect(natives).toHaveLength(1);
  expect(bytes).toBeLessThan(15_000_000);
  const own = await run(join(project, 'node_modules/.bin/svc'), asked, { env });
  expect(own).toEqual({ stdout: 'hi\n', stderr: '' });

  const prefix = join(home, 'global');
  expect((await npm('install', '--global', '--prefix', prefix, 'svc-cli')).stderr).toBe('');
  const listed = await run(join(prefix, 'bin/svc'), ['logs', 'list', '--json'], { env });
  expect(listed.stdout).toContain('"hi"');
  const page = await run('man', ['-M', join(prefix, 'share/man'), 'svc-chat'], {});
  expect(page.stdout).toContain('--max-tokens');

  const once = await run('npx', ['--yes', 'svc-cli', ...asked], { cwd: home, env });
  expect(once).toEqual({ stdout: 'hi\n', stderr: '' });
}, 120_000);

test('npm publishes what the script packs, and not the folder of the project', async () => {
  // Nothing listens there.
  const env = { ...process.env, npm_config_registry: 'http://127.0.0.1:1' };
  const publishing = run('npm', ['publish', '--dry-run'], { cwd: root, env });
  const words = 'Publish the packages that scripts/npm-packages.mjs makes, as CONTRIBUTING.md says';
  await expect(publishing).rejects.toMatchObject({ stderr: expect.stringContaining(words) });
}, 60_000);

test('it asks for the native parts that its libsql has', () => {
  const partsOf = (path: string) =>
    Manifest.parse(JSON.parse(readFileSync(join(root, path), 'utf8'))).optionalDependencies;
  expect(partsOf('package.json')).toEqual(partsOf('node_modules/libsql/package.json'));
});
