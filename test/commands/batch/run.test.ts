import { linkSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { png } from '../../helpers/fake-media.js';
import { front } from '../../helpers/front.js';
import { gate } from '../../helpers/gate.js';
import { SkippingClock } from '../../helpers/manual-clock.js';
import { run, type RunOptions } from '../../helpers/run.js';
import { batchFolder, chatLine } from './folder.js';

const [one, two] = [chatLine('one', 'What is a batch?'), chatLine('two', 'What is a shard?')];
const sending = '--local batch run in.jsonl -o out.jsonl';

describe('svc batch run', () => {
  it('writes a line for each request, and the same command sends what was added since', async () => {
    const { ids, path, read, svc, write } = batchFolder({ 'in.jsonl': one + two });
    for (const way of ['--estimate', '--dry-run']) await svc(`${sending} ${way}`);
    expect(read('out.jsonl.svc/lock')).toBeUndefined();
    const first = await svc(sending);
    expect(first).toMatchObject({ code: 0, stdout: '' });
    expect(first.stderr).toMatch(/^2 of 2 done · 0\.\d+ RUB · [\d.]+ s\n$/);
    // A folder has the journal and the lock; nothing else is left beside the answers.
    const left = () => readdirSync(path('.')).filter((name) => name.startsWith('out'));
    expect(left()).toEqual(['out.jsonl', 'out.jsonl.svc']);
    expect(readdirSync(path('out.jsonl.svc')).sort()).toEqual(['journal', 'lock']);
    const before = read('out.jsonl');
    const again = await svc(`${sending} --json`);
    expect(again).toMatchObject({ code: 0, stderr: '' });
    const counts = { total: 2, done: 2, failed: 0, unknown: 0, left: 0 };
    expect(JSON.parse(again.stdout)).toMatchObject({ ...counts, unknownIds: [], unsaved: 0 });
    expect(read('out.jsonl')).toBe(before);
    write('in.jsonl', one + two + chatLine('three', 'And a journal?'));
    const third = await svc(sending);
    expect(third.code).toBe(0);
    expect(third.stderr).toMatch(/^3 of 3 done · (0\.\d+) RUB now, (?!\1 )0\.\d+ RUB in all · /);
    expect(ids('out.jsonl')).toEqual(['one', 'two', 'three']);
  });

  it('takes texts from stdin and writes answers to stdout', async () => {
    const stdin = 'What is a batch?\nWhat is a shard?\n';
    const line = '--local batch run -m local/guide - --progress json';
    const { code, stdout, stderr } = await run(line, { stdin });
    expect(code).toBe(0);
    const last: unknown = JSON.parse(stderr.split('\n')[0] ?? '');
    expect(last).toMatchObject({ total: 2, done: 2, failed: 0, left: 0 });
    expect(stdout.match(/"custom_id":"[^"]+"/g)).toEqual([
      '"custom_id":"line-1"',
      '"custom_id":"line-2"',
    ]);
  });

  const asked = (fields: object) => `${JSON.stringify({ custom_id: 'last', ...fields })}\n`;
  const texts =
    chatLine('one', 'Say *one*', { model: 'local/echo' }) +
    chatLine('bad', 'hi', { model: 'local/none' }) +
    asked({ url: '/v1/search', body: { query: 'a batch' } });
  it.each([
    [
      'a pipe, with --text',
      '--text',
      false,
      /^== Say \*one\* ==\nSay \*one\*\n\n== hi ==\nerror: .+\n\n== a batch ==\n\{"/,
    ],
    [
      'a terminal',
      '',
      true,
      /^== Say \*one\* ==\nSay \*one\*\n\n== hi ==\nerror: .+\n\n== a batch ==\n\{/,
    ],
    ['a pipe', '', false, /^\{"id":"batch_req/],
    ['a terminal, with -o -', '-o -', true, /^\{ *"id": *"batch_req/],
  ] as const)('shows the answers in %s', async (_where, words, tty, expected) => {
    const { svc } = batchFolder({ 'in.jsonl': texts });
    const line = `--local batch run in.jsonl --ordered ${words}`;
    const { code, stderr, stdout } = await svc(line, { tty });
    expect([code, stdout]).toEqual([12, expect.stringMatching(expected)]);
    // Without a file, the same command would pay again.
    const told =
      '-o FILE keeps the answers, and the same command then sends only what is missing\n';
    expect(stderr.startsWith(told)).toBe(tty);
    expect(stderr).toContain('\nhint: with -o FILE, the same command would send only what is');
  });

  it('keeps in the file what it shows as text', async () => {
    const content = [
      { type: 'text', text: 'What is a batch?' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${png.toString('base64')}` } },
    ];
    const seen = chatLine('one', '', { messages: [{ role: 'user', content }] });
    const { ids, svc } = batchFolder({ 'in.jsonl': seen });
    const { stdout } = await svc(`${sending} --text`);
    expect(stdout).toMatch(/^== What is a batch\? ==\n/);
    expect(ids('out.jsonl')).toEqual(['one']);
  });

  it('puts what fails for good into --errors, which is an input again', async () => {
    const wrong = chatLine('bad', 'hi', { model: 'local/none' });
    const { ids, read, svc, write } = batchFolder({ 'in.jsonl': one + two + wrong });
    const { code, stderr } = await svc(`${sending} --errors errors.jsonl`);
    expect(code).toBe(12);
    expect(stderr).toMatch(
      /^2 of 3 done · 1 failed · .* s\nerror: 1 of 3 requests without an answer\nhint: .*\n$/,
    );
    const errors = read('errors.jsonl') ?? '';
    expect(ids('errors.jsonl')).toEqual(['bad']);
    expect((await svc(`${sending} --errors errors.jsonl`)).code).toBe(12);
    expect(read('errors.jsonl')).toBe(errors);
    write('errors.jsonl', errors.replace('local/none', 'local/guide'));
    expect((await svc('--local batch run errors.jsonl -o mended.jsonl')).code).toBe(0);
  });

  const local = '--local batch run in.jsonl';
  it.each<[what: string, words: string, lines: string, line?: string]>([
    ['a custom_id that is there twice', 'line 3: its custom_id is also that of', one + two + two],
    ['an output that is the input', 'must be different files', one, `${local} -o in.jsonl`],
    ['an output that is a device', 'is not a regular file', one, `${local} -o /dev/full`],
    ['--json without a file', '--json prints a summary', one, `${local} --json`],
    ['a request that has changed', 'line 1: its body has changed since', chatLine('one', 'x')],
    ['the output of another input', 'nothing was sent\nhint: choose another', chatLine('c', 'c')],
  ])('refuses %s, and sends nothing', async (_what, words, lines, line = sending) => {
    const { read, svc, write } = batchFolder({ 'in.jsonl': one + two });
    await svc(sending);
    const before = read('out.jsonl');
    write('in.jsonl', lines);
    const { code, stderr } = await svc(line);
    expect([code, read('out.jsonl'), read('in.jsonl')]).toEqual([2, before, lines]);
    expect(stderr).toContain(words);
  });

  /** A service that answers no request before `finished` is opened. */
  async function slowService() {
    const [reached, finished] = [gate(), gate()];
    const message = { role: 'assistant', content: 'yes' };
    const { env, posted: posts } = await front({
      standIn: async ({ method }) => {
        if (method === 'POST') {
          reached.open();
          await finished.opened;
        }
        return { json: { choices: [{ message }] } };
      },
    });
    return { env, posts, reached, finished };
  }

  it.each(['-o loop.jsonl', '-o out.jsonl --errors loop.jsonl'])(
    'refuses links in a loop: %s',
    async (to) => {
      const { path, svc } = batchFolder({ 'in.jsonl': one });
      symlinkSync('loop.jsonl', path('loop.jsonl'));
      const { code, stderr } = await svc(`--local batch run in.jsonl ${to}`);
      expect([code, stderr]).toEqual([11, expect.stringContaining('its links form a loop')]);
    },
  );

  const links = {
    'its own name': () => undefined,
    'a link that was there before it': (path: (name: string) => string) => {
      symlinkSync('out.jsonl', path('name.jsonl'));
    },
    'a hard link': (path: (name: string) => string) => {
      writeFileSync(path('out.jsonl'), '');
      linkSync(path('out.jsonl'), path('name.jsonl'));
    },
  };
  it.each([
    ['its own name', 'out.jsonl', 'out.jsonl'],
    ['a link that was there before it', 'name.jsonl', 'out.jsonl'],
    ['a link that was there before it', 'out.jsonl', 'name.jsonl'],
    ['a hard link', 'name.jsonl', 'out.jsonl'],
    ['a hard link', 'out.jsonl', 'name.jsonl'],
  ] as const)(
    'sends nothing twice to an output that another run writes or has written under %s (%s, %s)',
    async (link, first, second) => {
      const { env, finished, posts, reached } = await slowService();
      const { path, svc } = batchFolder({ 'in.jsonl': one });
      links[link](path);
      const running = svc(`batch run in.jsonl -o ${first}`, { env });
      await reached.opened;
      const { code, stderr } = await svc(`batch run in.jsonl -o ${second}`, { env });
      expect([code, posts().length]).toEqual([11, 1]);
      expect(stderr).toContain(`error: another svc is writing ${second}; nothing was sent\n`);
      finished.open();
      expect(await running).toMatchObject({ code: 0 });
      const again = await svc(`batch run in.jsonl -o ${second} --json`, { env });
      expect([again.code, JSON.parse(again.stdout)]).toMatchObject([0, { done: 1 }]);
      expect(posts()).toHaveLength(1);
    },
  );

  it('refuses a hard link whose other name, and so its journal, it cannot find', async () => {
    const { path, svc } = batchFolder({ 'in.jsonl': one });
    writeFileSync(path('out.jsonl'), '');
    mkdirSync(path('other'));
    linkSync(path('out.jsonl'), join(path('other'), 'out.jsonl'));
    const { code, stderr } = await svc(sending);
    expect([code, stderr]).toMatchObject([
      2,
      expect.stringContaining('out.jsonl is a hard link, and its other name is in another folder'),
    ]);
  });

  const nowhere = { SVC_BASE_URL: 'http://127.0.0.1:9', SVC_API_KEY: 'sk-svc-test' };
  const proxied = { SVC_BASE_URL: 'http://service.test', SVC_API_KEY: 'k' };
  const unreached = { env: nowhere, clock: new SkippingClock() };
  const quic = { env: { ...proxied, HTTP_PROXY: 'quic://p' } };
  const remote = 'batch run in.jsonl -o out.jsonl';
  const limited = `--timeout 0.3 ${sending} --rpm 1`;
  it.each<[code: number, when: string, words: string, options: RunOptions, expected: RegExp]>([
    [6, 'the service is not reached', remote, unreached, /^0 of 2 done · 2 not sent/],
    [4, 'it cannot use the proxy that is set', remote, quic, /HTTP_PROXY is a quic proxy/],
    [8, '--timeout has passed', limited, {}, /^1 of 2 done · 1 not sent · .* s\nerror: the time/],
  ])('ends with %i where %s, and goes on later', async (code, _, words, options, expected) => {
    const { ids, read, svc } = batchFolder({ 'in.jsonl': one + two });
    const ended = await svc(words, options);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toMatch(expected);
    expect(read('out.jsonl.svc/journal') === undefined).toBe(code === 4);
    expect(await svc(sending)).toMatchObject({ code: 0 });
    expect(ids('out.jsonl')).toEqual(['one', 'two']);
  });
});
