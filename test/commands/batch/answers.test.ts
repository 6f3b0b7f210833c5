/** What comes in place of an answer, and answers that look like secrets. */
import { expect, it } from 'vitest';
import { recordOf } from '../../../src/lib/json.js';
import { front, frontKey } from '../../helpers/front.js';
import { batchFolder, chatLine } from './folder.js';

/** A batch of these replies, in this order. */
async function batchOf(replies: readonly string[]) {
  const headers = { 'content-type': 'application/json' };
  const { env, posted: posts } = await front({
    standIn: ({ body }) => {
      const [, nth] = /reply-(\d+)/.exec(body) ?? [];
      if (nth === undefined) return { status: 404, json: {} };
      return { bytes: Buffer.from(replies[Number(nth)] ?? ''), headers };
    },
  });
  const lines = replies.map((_, nth) => chatLine(`id-${nth}`, `reply-${nth}`));
  const { read, svc, write } = batchFolder({ 'in.jsonl': lines.join('') });
  const run = (more = '') => svc(`batch run in.jsonl -o out.jsonl --ordered${more}`, { env });
  const bodies = () =>
    (read('out.jsonl') ?? '')
      .split('\n')
      .slice(0, -1)
      .map((line) => {
        const [, body] = /"body":(.*)\},"error":/.exec(line) ?? [];
        return [body, recordOf(recordOf(JSON.parse(line))['error'])['code']];
      });
  return { bodies, posts, read, run, svc, write };
}

const answer = (text: string) => `{"choices":[{"message":{"content":${text}}}],"n":1.10}`;

it('svc batch run writes answers byte for byte, without the key alone', async () => {
  const escaped = Array.from(
    frontKey,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const { bodies, run } = await batchOf([
    answer('"say \\"Bearer abc123\\" to sk-svc-abc at ?sig=abc"'),
    answer('"x"').replaceAll(',', ',\r\n  '),
    answer(`"${frontKey} ${escaped.join('')}"`),
  ]);
  expect((await run()).code).toBe(0);
  expect(bodies().map(([body]) => body)).toEqual([
    answer('"say \\"Bearer abc123\\" to sk-svc-abc at ?sig=abc"'),
    answer('"x"'),
    answer('"[key] [key]"'),
  ]);
});

const strange = ['null', '{}', '[]', '"hi"', '{"choices":[]}', '{"choices":[{}],"usage":{}}'];

it('svc batch run takes an answer that contains an empty list of choices for one, also the next time', async () => {
  const nested = answer('"yes"').replace('"n":1.10', '"meta":{"choices":[]}');
  const { posts, run } = await batchOf([nested]);
  expect((await run()).code).toBe(0);
  expect(await run()).toMatchObject({ code: 0, stderr: expect.stringMatching(/^1 of 1 done/) });
  expect(posts()).toHaveLength(1);
});

it('svc batch run keeps what is no answer as a failure, and does not pay for it again', async () => {
  const { bodies, posts, run, svc } = await batchOf([...strange, answer('"yes"')]);
  const { code, stderr } = await run();
  expect([code, stderr]).toEqual([12, expect.stringMatching(/^1 of 7 done · 6 failed/)]);
  expect(bodies().slice(0, -1)).toEqual(strange.map((body) => [body, 'invalid_reply']));
  expect((await run()).code).toBe(12);
  expect(posts()).toHaveLength(7);
  const { stdout } = await svc('batch report out.jsonl --json');
  expect(JSON.parse(stdout)).toMatchObject({ done: 1, failed: 6, unknown: 0 });
});

it('svc batch run keeps it in --errors with the request, which is an input again', async () => {
  const { posts, read, run } = await batchOf(['{"choices":[]}']);
  expect((await run(' --errors errors.jsonl')).code).toBe(12);
  expect(read('out.jsonl')).toBe('');
  const line: unknown = JSON.parse(read('errors.jsonl') ?? '');
  expect(line).toMatchObject({ custom_id: 'id-0', response: { body: { choices: [] } } });
  expect((await run(' --errors errors.jsonl')).code).toBe(12);
  expect(posts()).toHaveLength(1);
});

it('svc batch run counts as failed what an earlier svc has written as an answer', async () => {
  const { posts, read, run, write } = await batchOf([...strange.slice(0, -1), answer('"yes"')]);
  await run();
  write('out.jsonl', (read('out.jsonl') ?? '').replaceAll(/"error":\{[^{}]*\}/g, '"error":null'));
  const { code, stderr } = await run();
  expect([code, stderr]).toEqual([12, expect.stringMatching(/^1 of 6 done · 5 failed/)]);
  expect(posts()).toHaveLength(6);
});
