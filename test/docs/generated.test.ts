import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../helpers/folder.js';
import { root } from './pages.js';

/** The formatter is slow to start on a machine that does other work too. */
const timeout = 60_000;

function generate(folder: string, ...args: string[]) {
  const words = [join(folder, 'scripts/generate.mjs'), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

function textOf(folder: string, path: string): string {
  return readFileSync(join(folder, path), 'utf8');
}

/** What generating needs of the repository, in a new folder; no build is among it. */
function copyOfRepository(): string {
  const folder = testFolder();
  const parts = ['package.json', '.prettierrc.json', 'README.md', 'docs', 'scripts', 'src'];
  for (const part of parts) cpSync(join(root, part), join(folder, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

test('--check names stale files and leaves them; without it they are written', { timeout }, () => {
  const folder = copyOfRepository();
  const topic = '\n## A new topic\n\nIt says something.\n\n```sh\nsvc --help\n```\n';
  appendFileSync(join(folder, 'docs/manual/1-start.md'), topic);
  appendFileSync(join(folder, 'docs/reference.md'), '\n# old\n');
  const [page, data] = ['docs/reference.md', 'src/service/engines/manual.json'];
  const stderr = `${page} is stale: npm run generate\n`;
  expect(generate(folder, '--check')).toEqual({ status: 1, stdout: '', stderr });
  const stdout = `${page}\n${data}\n`;
  expect(generate(folder)).toEqual({ status: 0, stdout, stderr: '' });
  expect(textOf(folder, page)).toBe(textOf(root, page));
  expect(textOf(folder, data)).toContain('"title":"A new topic"');
});

test('the README is read in one sitting: the reference stands on a page of its own', () => {
  expect(textOf(root, 'README.md').split('\n').length).toBeLessThanOrEqual(180);
});
