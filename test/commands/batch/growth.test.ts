import { createHash, hash } from 'node:crypto';
import { expect, it, onTestFinished, vi } from 'vitest';
import { IdTable } from '../../../src/batch/ids.js';
import { LineReader } from '../../../src/batch/line.js';
import { recordOf } from '../../../src/lib/json.js';
import { answered } from '../../batch/lines.js';
import { batchFolder, chatLine } from './folder.js';

/** A batch of so many requests, each with its answer. */
function finishedBatch(count: number) {
  const ids = Array.from({ length: count }, (_, nth) => `row-${nth}`);
  const input = ids.map((id) => chatLine(id, `Is ${id} lit?`)).join('');
  const record = (id: string) => {
    const { body } = recordOf(JSON.parse(chatLine(id, `Is ${id} lit?`)));
    return `+${hash('sha256', JSON.stringify(body)).slice(0, 16)} ${JSON.stringify(id)}\n`;
  };
  const head = `svc-batch 1 ${createHash('sha256').update(input).digest('hex')}\n@1 ${count}\n`;
  return batchFolder({
    'in.jsonl': input,
    'out.jsonl': ids.map((id) => answered(id)).join(''),
    'out.jsonl.svc/journal': head + ids.map(record).join(''),
  });
}

/** How many lines are parsed, ids looked up and texts read as JSON. */
async function workOf(line: string, count: number) {
  const { svc } = finishedBatch(count);
  const lines = vi.spyOn(LineReader.prototype, 'read');
  const ids = vi.spyOn(IdTable.prototype, 'place');
  const json = vi.spyOn(JSON, 'parse');
  onTestFinished(() => void vi.restoreAllMocks());
  const { code, stdout } = await svc(line);
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining(`${count}`) });
  const calls = [lines, ids, json].map((spy) => spy.mock.calls.length);
  vi.restoreAllMocks();
  return { lines: calls[0] ?? 0, ids: calls[1] ?? 0, json: calls[2] ?? 0 };
}

it.each([
  ['a finished batch that is run again', '--local batch run in.jsonl -o out.jsonl --json', 3],
  ['svc batch status', 'batch status out.jsonl --json', 2],
])('%s looks up each id so often, and parses none of its lines', async (_, line, lookups) => {
  const [few, many] = [await workOf(line, 100), await workOf(line, 1000)];
  expect(many).toMatchObject({ lines: 0, ids: 1000 * lookups });
  expect(many.json).toBeLessThanOrEqual(few.json);
});
