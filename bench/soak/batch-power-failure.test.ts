/** What a power failure takes away is not paid for again in silence. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listOf, parsedJson, recordOf } from '../../src/lib/json.js';
import { start, svc } from '../../test/bin/svc.js';
import { chatLine } from '../../test/commands/batch/folder.js';
import { fakeService, json } from '../../test/helpers/fake-service.js';
import { testFolder } from '../../test/helpers/folder.js';
import { powerFailure } from './power-failure.js';

const names = (count: number) => Array.from({ length: count }, (_, nth) => `line-${nth + 1}`);

/** A service that counts how often each text was paid for, and says so. */
async function counting() {
  const paid = new Map<string, number>();
  let onPaid: (requests: number) => void = () => undefined;
  let requests = 0;
  const { env } = await fakeService((request, response) => {
    if (request.method === 'GET') {
      json({}, 404)(request, response);
      return;
    }
    const texts = request.body.match(/line-\d+/g) ?? [];
    for (const text of texts) paid.set(text, (paid.get(text) ?? 0) + 1);
    onPaid((requests += 1));
    const data = texts.map((_, index) => ({ index, embedding: [index, 0.5] }));
    const choices = [{ message: { content: 'word '.repeat(400) } }];
    setTimeout(() => json({ choices, data, usage: {} })(request, response), 1);
  });
  return {
    paid,
    env,
    /** Runs svc until so many requests have been paid for; then the power fails. */
    failAfter: async (most: number, words: readonly string[], folder: string) => {
      const power = powerFailure();
      const options = { env: { ...env, ...power.env }, nodeFlags: power.nodeFlags };
      const { child, ended } = await start(words, options);
      onPaid = (count) => {
        if (count === most) child.kill('SIGKILL');
      };
      child.stdin.end();
      await ended;
      power.fail(folder);
    },
  };
}

describe('after a power failure', () => {
  it.each([1, 61, 120, 300, 599])(
    'a batch pays for none of the first %i requests again, and names what got no answer',
    async (most) => {
      const { env, failAfter, paid } = await counting();
      const folder = testFolder();
      const ids = names(600);
      const [input, output] = [join(folder, 'in.jsonl'), join(folder, 'out', 'out.jsonl')];
      mkdirSync(join(folder, 'out'));
      writeFileSync(input, ids.map((id) => chatLine(id, id)).join(''));
      const words = ['batch', 'run', input, '-o', output, '--concurrency', '64', '--json'];
      await failAfter(most, words, join(folder, 'out'));
      const { stdout } = await svc(words, { env });
      const { unknownIds: unknown } = recordOf(parsedJson(stdout));
      // Of a fast run, no answer may have been synced.
      const lines = readFileSync(output, 'utf8').split('\n').filter(Boolean);
      const done = lines.map((line) => recordOf(JSON.parse(line))['custom_id']);
      expect([...done, ...listOf(unknown)].sort()).toEqual(ids.toSorted());
      expect(Math.max(...paid.values())).toBe(1);
    },
  );

  it.each([20, 90])(
    'svc embed --resume pays again only for what was under way after %i requests',
    async (most) => {
      const { env, failAfter, paid } = await counting();
      const folder = testFolder();
      const texts = names(200);
      const [input, output] = [join(testFolder(), 'texts'), join(folder, 'vectors.jsonl')];
      writeFileSync(input, texts.join('\n'));
      const words = ['embed', '-m', 'm', '--lines', '--batch', '2', '-f', input, '-o', output];
      await failAfter(most, words, folder);
      expect((await svc([...words, '--resume'], { env })).code).toBe(0);
      expect(readFileSync(output, 'utf8').trimEnd().split('\n')).toHaveLength(texts.length);
      const again = [...paid.values()].filter((times) => times > 1);
      // Four requests, and one whose rows are being written.
      expect(again.length).toBeLessThanOrEqual(2 * 5);
    },
  );
});
