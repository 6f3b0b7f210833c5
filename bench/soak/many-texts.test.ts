import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { listOf, recordOf } from '../../src/lib/json.js';
import { vectorToBase64 } from '../../src/lib/vectors.js';
import { fakeService, json } from '../../test/helpers/fake-service.js';
import { testFolder } from '../../test/helpers/folder.js';
import { svc } from '../../test/bin/svc.js';

const peak = resolve(import.meta.dirname, '../peak.cjs');
const vector = vectorToBase64(Array.from({ length: 256 }, (_, index) => Math.sin(index)));

it('turns very many lines into vectors in constant memory', async () => {
  const { env } = await fakeService((request, response) => {
    const { input } = request.method === 'POST' ? recordOf(JSON.parse(request.body)) : {};
    const models = [{ id: 'vendor/embed' }];
    const data = listOf(input).map((_text, index) => ({ index, embedding: vector }));
    json({ data: input === undefined ? models : data, total: 1 })(request, response);
  });
  const few = await peakKiB(env, 600);
  const many = await peakKiB(env, 60_000);
  expect(few).toBeGreaterThan(10_000);
  // Held, the vectors alone would take 120 MB; what there is more of is garbage.
  expect((many - few) / 1024).toBeLessThan(90);
}, 60_000);

/** The most memory that svc took for so many lines. */
async function peakKiB(env: Record<string, string>, count: number): Promise<number> {
  const cwd = testFolder();
  const lines = Array.from({ length: count }, (_, nth) => `a line of a long file, ${String(nth)}`);
  writeFileSync(join(cwd, 'lines.txt'), lines.join('\n'));
  const words = ['embed', '-m', 'vendor/embed', '--lines', '-f', 'lines.txt', '-o', 'lines.npy'];
  const { code, stderr } = await svc(words, { env, cwd, nodeFlags: ['-r', peak] });
  expect(code).toBe(0);
  return Number(/peak: (\d+)/.exec(stderr)?.[1]);
}
