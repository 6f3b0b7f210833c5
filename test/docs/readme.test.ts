import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { installed, shareCompiledCode } from '../bin/package.js';
import { bash } from '../bin/svc.js';
import { testFolder } from '../helpers/folder.js';
import { pages, root, russianPages, shellLines } from './pages.js';

const named = z.object({ path: z.string() });
const readme = pages.find(({ path }) => path === 'README.md') ?? { path: '', text: '' };
const [, tasks = ''] = /^## Seven tasks\n([^]*?)^## /m.exec(readme.text) ?? [];

test('each line of the tasks works unchanged, offline, one after the other', async () => {
  const cwd = testFolder();
  // A program of svc run may be svc.
  mkdirSync(join(cwd, 'bin'));
  symlinkSync(join(await installed(), 'bin/svc.cjs'), join(cwd, 'bin/svc'));
  const PATH = `${join(cwd, 'bin')}:${process.env['PATH'] ?? ''}`;
  const env = { PATH, HOME: cwd, SVC_CONFIG_DIR: join(cwd, 'config'), SVC_LOCAL_JOB_TIME: '0s' };
  await shareCompiledCode(join(cwd, 'config'));
  const lines = shellLines({ ...readme, text: tasks }).filter((line) => line.includes('--local'));
  expect(lines.length).toBeGreaterThanOrEqual(12);
  for (const line of lines) {
    const { code, stderr } = await bash(line, { cwd, env });
    expect({ line, code, errors: /^(?:error|hint): .*/gm.exec(stderr)?.[0] }).toEqual({
      line,
      code: 0,
    });
  }
}, 120_000);

test('what it links to is in the package, with the picture and without sources', async () => {
  const pack = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const { stdout } = await promisify(execFile)('npm', pack, { cwd: root });
  const [{ files }] = z.tuple([z.object({ files: z.array(named) })]).parse(JSON.parse(stdout));
  const packed = new Set(files.map(({ path }) => path));
  const missing = [...pages, ...russianPages]
    .filter(({ path }) => packed.has(path))
    .flatMap(({ path, text }) =>
      Array.from(text.matchAll(/\]\((?!https?:|#)([^)#]+)/g), ([, link = '']) =>
        normalize(join(dirname(path), link)),
      ),
    )
    .filter((path) => !packed.has(path));
  expect(missing).toEqual([]);
  expect(packed).toContain('docs/recording.svg');
  expect([...packed].filter((path) => /\.(?:map|[mc]?ts|tsx)$/.test(path))).toEqual([]);
});
