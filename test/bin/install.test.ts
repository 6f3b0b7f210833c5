import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../docs/pages.js';
import { contentOf, Manifest, newUser, run } from './registry.js';

test('npm installs it without a warning, for a project, for all and for npx, in 14 MB', async () => {
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
  expect(bytes).toBeLessThan(14_000_000);
  const own = await run(join(project, 'node_modules/.bin/svc'), asked, { env });
  expect(own).toEqual({ stdout: 'hi\n', stderr: '' });

  const prefix = join(home, 'global');
  expect((await npm('install', '--global', '--prefix', prefix, 'svc-cli')).stderr).toBe('');
  const listed = await run(join(prefix, 'bin/svc'), ['logs', 'list', '--json'], { env });
  expect(listed.stdout).toContain('"hi"');

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
