/** The other package managers, which npm fetches from its registry. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { contentOf, newUser, run } from './registry.js';

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
