import { expect, it } from 'vitest';
import { systemClock } from '../../../src/lib/clock.js';
import { fakeService, json } from '../../helpers/fake-service.js';
import { recordAt } from '../../helpers/history.js';
import type { RunOptions } from '../../helpers/run.js';
import { batchFolder, chatLine } from './folder.js';

/** A batch whose first connection was lost; `records` are the usage records. */
async function lost(...records: readonly object[]) {
  let posts = 0;
  const { env } = await fakeService((request, response) => {
    if (request.url.startsWith('/v1/generations')) json({ data: records })(request, response);
    else if (request.method === 'GET') json({}, 404)(request, response);
    else if (request.body.includes('hello') && (posts += 1) === 1) response.socket?.destroy();
    else
      json({ choices: [{ message: { content: 'yes' } }] }, 200, { 'x-svc-generation-id': 'gen_2' })(
        request,
        response,
      );
  });
  const model = 'vendor/one';
  const lines = chatLine('one', 'hello', { model }) + chatLine('two', 'bye', { model });
  const { svc } = batchFolder({ 'in.jsonl': lines });
  const words = 'batch run in.jsonl -o out.jsonl';
  expect((await svc(words, { env })).code).toBe(12);
  // After all that the service may take for an answer.
  const later = { ...systemClock, now: () => Date.now() + 11 * 60_000 };
  return async (more = '', options: RunOptions = {}) => {
    const { code, stderr } = await svc(`${words} ${more}`, { env, clock: later, ...options });
    return { code, stderr, posts };
  };
}

it('a request that got no answer is sent again later where no usage record may be its own', async () => {
  const own = recordAt('gen_2', Date.now());
  const again = await lost(recordAt('gen_1', Date.now(), 'vendor/two'), own);
  expect(await again('', { clock: systemClock })).toMatchObject({ code: 12, posts: 1 });
  expect(await again()).toMatchObject({ code: 0, posts: 2 });
});

it('a request that got no answer is named where it may have been charged, and sent again only when asked to', async () => {
  const again = await lost(recordAt('gen_1', Date.now()));
  const { code, posts, stderr } = await again();
  expect([code, posts]).toEqual([12, 1]);
  expect(stderr).toContain('1 usage records without an answer, 0.50 RUB in all: gen_1\n');
  expect(stderr).toContain('may have been charged, without an answer: one; ');
  expect(await again('--unknown retry')).toMatchObject({ code: 0, posts: 2 });
});

it('a request that got no answer is sent again after a question, which needs a terminal', async () => {
  const again = await lost(recordAt('gen_1', Date.now()));
  const question = '1 of the requests may have been charged without an answer. Send again?';
  const { code, posts, stderr } = await again('--unknown ask');
  expect([code, posts]).toEqual([2, 1]);
  expect(stderr).toContain(`error: cannot ask "${question}" without a terminal\n`);
  const tty = { stdin: true, stderr: true };
  const no = await again('--unknown ask', { tty, typed: [[question, 'n\r']] });
  expect(no).toMatchObject({ code: 12, posts: 1 });
  const yes = await again('--unknown ask', { tty, typed: [[question, 'y\r']] });
  expect(yes).toMatchObject({ code: 0, posts: 2 });
});
