import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { npyHeader, npyRow } from '../../../src/lib/table-files.js';
import { vectorToBase64 } from '../../../src/lib/vectors.js';
import { testFolder } from '../../helpers/folder.js';
import { scene } from './scene.js';

const embed = ['embed', '-m', 'vendor/embed', '--lines', '--resume'];

it.each([
  ['a.npy', 'x'.repeat(500)],
  ['a.jsonl', 'no vector\n'],
  ['a.jsonl', '{"vector":[1]}\n'],
  ['a.jsonl', '[]\n'],
])('--resume does not go on with what it did not begin, as %s', async (name, part) => {
  const path = join(testFolder(), name);
  writeFileSync(`${path}.part`, part);
  const { svc, posts } = await scene();
  const result = await svc([...embed, '-o', path], { stdin: 'a\n' });
  expect(result).toMatchObject({ code: 11, stdout: '' });
  expect(result.stderr).toContain(`error: ${path}.part holds no vectors that svc wrote\n`);
  expect(readFileSync(`${path}.part`, 'utf8')).toBe(part);
  expect(posts()).toEqual([]);
});

it.each([
  ['a.npy', Buffer.concat([npyHeader({ rows: 0, columns: 2 }), npyRow([1, 2])])],
  ['a.jsonl', Buffer.from('[1,2]\n')],
  ['a.jsonl', Buffer.from(`"${vectorToBase64([1, 2])}"\n`)],
])('--resume does not mix vectors of two models in %s', async (name, part) => {
  const path = join(testFolder(), name);
  writeFileSync(`${path}.part`, part);
  const { svc } = await scene();
  const result = await svc([...embed, '-o', path], { stdin: 'a\nb\n' });
  expect(result.code).toBe(12);
  expect(result.stderr).toContain('holds vectors of 2 numbers, and these have 3');
  expect(readFileSync(`${path}.part`)).toEqual(part);
});
