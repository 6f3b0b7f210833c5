import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Interrupted, ReaderGone } from '../../src/errors.js';
import { fakeService, json } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { silence } from '../helpers/front.js';
import { fails, run } from '../helpers/run.js';
import { long } from './speak/book.js';
import { talker } from './speak/talker.js';
import { wav } from '../lib/audio/files.js';

const words = 'the interrupted request may have been charged: `svc usage list` shows it\n';

it.each([
  ['one piece', 'hi'],
  ['several pieces', long],
])('warns a user who interrupts the first of %s that it may cost', async (_, text) => {
  const at = await talker();
  const interrupt = new AbortController();
  at.speech({ ...silence, first: () => interrupt.abort(new Interrupted('SIGINT')) });
  const line = ['speak', '-m', 'vendor/voice', '-o', at.path('a.wav'), text];
  expect(await at.svc(line, { signal: interrupt.signal })).toMatchObject(fails(130, words));
});

/** A line of each command that is paid for when it is asked for, and what is piped in. */
const paid: (readonly [line: string, stdin: string | Buffer | undefined])[] = [
  ['chat -m v hi', undefined],
  ['chat -m v --format messages hi', undefined],
  ['chat -m v --format responses --json hi', undefined],
  ['chat -m v --no-stream hi', undefined],
  ['chat -m v --search news hi', undefined],
  ['embed -m v hi', undefined],
  ['embed -m v --lines', 'one\ntwo\n'],
  ['embed -m v --similar one', 'one\ntwo\n'],
  ['decide --state x --yes-no spam=unwanted', undefined],
  ['search news', undefined],
  ['transcribe -m v -', wav(Buffer.alloc(100))],
  ['speak -m v -o - hi', undefined],
  ['api POST /v1/chat/completions -f model=v', undefined],
];

/** Runs a line until its paid request comes, which gets no answer, and aborts it with this reason. */
async function stopped(line: string, reason: Error, stdin: string | Buffer | undefined) {
  const stop = new AbortController();
  let posts = 0;
  const { env } = await fakeService((request, response) => {
    if (request.method === 'POST') {
      posts += 1;
      stop.abort(reason);
    } else json({ error: { message: 'none' } }, 404)(request, response);
  });
  const tty = { stdin: stdin === undefined };
  const result = await run(line, { ...(stdin && { stdin }), tty, env, signal: stop.signal });
  return { ...result, posts };
}

it.each(paid)('a user who interrupts %s is warned once that it may cost', async (line, stdin) => {
  const result = await stopped(line, new Interrupted('SIGINT'), stdin);
  expect(result.posts).toBeGreaterThan(0);
  expect(result.code).toBe(130);
  expect(result.stderr).toBe(words);
});

it.each(['--quiet', '--json -o FILE'])(
  'a user who interrupts reads which lines are done under %s',
  async (flags) => {
    const stop = new AbortController();
    let posts = 0;
    const service = await fakeService((request, response) => {
      if (request.method === 'POST') posts += 1;
      const answer = { data: [{ index: 0, embedding: [1, 2] }] };
      if (request.method !== 'POST') json({}, 404)(request, response);
      else if (request.body.includes('first')) json(answer)(request, response);
      // Four are under way at most: the fifth is asked for when the first is written.
      if (posts === 5) stop.abort(new Interrupted('SIGINT'));
    });
    const given = flags.replace('FILE', join(testFolder(), 'a.npy'));
    const result = await run(`embed -m v --lines --batch 1 ${given}`, {
      stdin: `first\n${'a line\n'.repeat(9)}`,
      env: service.env,
      signal: stop.signal,
    });
    expect(result).toMatchObject({ code: 130, stderr: words });
  },
);

it('a user who interrupts before anything was sent gets no warning', async () => {
  const stop = new AbortController();
  // No listener is added: the connection is never made.
  const env = { SVC_BASE_URL: 'http://127.0.0.1:9', SVC_API_KEY: 'sk-svc-a' };
  const result = run('search -v news', {
    env,
    signal: stop.signal,
    onStderr: () => {
      stop.abort(new Interrupted('SIGINT'));
    },
  });
  expect((await result).stderr).not.toContain('charged');
});

it('a user who interrupts after a refusal, or while only the cost is requested, gets no warning', async () => {
  const stop = new AbortController();
  const service = await fakeService((request, response) => {
    if (request.method === 'POST') json({ results: [] })(request, response);
    else stop.abort(new Interrupted('SIGINT'));
  });
  const { stderr } = await run('search --json news', { env: service.env, signal: stop.signal });
  expect(stderr).toBe('');
});

it.each(paid)('%s prints nothing for a reader that is gone', async (line, stdin) => {
  expect(await stopped(line, new ReaderGone(), stdin)).toMatchObject({ code: 141, stderr: '' });
});
