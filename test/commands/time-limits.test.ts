/** --timeout is the time in all: from the first byte sent to the last byte read. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { recordOf } from '../../src/lib/json.js';
import { chunks, fakeService, json } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { localScript } from '../helpers/local-script.js';
import { PollingClock, SkippingClock } from '../helpers/manual-clock.js';
import { run, words, type RunOptions } from '../helpers/run.js';

/** An answer that goes on for ever, a little at a time. */
function drip(response: ServerResponse, first: string | Buffer, type: string, more = first): void {
  response.writeHead(200, { 'content-type': type });
  response.write(first);
  const timer = setInterval(() => response.write(more), 50);
  response.on('close', () => clearInterval(timer));
}

const wav = Buffer.from('RIFF\xff\xff\xff\x7fWAVEfmt ', 'latin1');
const word = chunks('word');

it.each<[line: string, code: number, stdout: RegExp, drips: (response: ServerResponse) => void]>([
  ['chat -m m hi', 12, /^(?:word)+\n?$/, (response) => drip(response, word, 'text/event-stream')],
  ['chat -m m --no-stream hi', 12, /^$/, (response) => drip(response, ' ', 'application/json')],
  ['balance', 6, /^$/, (response) => drip(response, ' ', 'application/json')],
  ['api GET /v1/balance', 12, /^ +$/, (response) => drip(response, ' ', 'application/json')],
  ['speak -m m hi -o -', 12, /^RIFF/, (response) => drip(response, wav, 'audio/wav')],
  ['speak -m m hi -o FOLDER/a.wav', 12, /^$/, (response) => drip(response, wav, 'audio/wav')],
])('svc %s is cut by it and ends with %i', async (line, code, stdout, drips) => {
  const service = await fakeService((_request, response) => drips(response));
  const folder = testFolder();
  const startedAt = performance.now();
  const given = line.replace('FOLDER', folder).split(' ');
  const options = { env: service.env, tty: { stdin: true } };
  const result = await run([...given, '--timeout', '300ms'], options);
  expect(performance.now() - startedAt).toBeLessThan(3000);
  expect(result).toMatchObject({ code, stdout: expect.stringMatching(stdout) });
  expect(result.stderr).toMatch(/not finished within \d+ ms/);
  expect(readdirSync(folder)).not.toContain('a.wav');
});

it('includes the file of a job, and the error points back to the job', async () => {
  const service = await fakeService(({ url }, response) => {
    if (url.includes('/file/')) {
      drip(response, Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'image/png');
      return;
    }
    const resultUrls = [`http://${String(response.req.headers.host)}/api/media/file/job_1/0?sig=s`];
    const job = { jobId: 'job_1', status: 'success', resultUrls };
    const answers: Record<string, object> = {
      '/v1/model-capabilities': { models: [{ id: 'v/c', kind: 'image' }] },
      '/api/media/price': { ok: true, priceRub: 1, quoteId: 'q' },
    };
    response.writeHead(url.endsWith('/generate') ? 202 : 200, {
      'content-type': 'application/json',
    });
    response.end(JSON.stringify(answers[url.replace(/\?.*/, '')] ?? job));
  });
  const folder = testFolder();
  for (const line of ['generate v/c x', 'jobs download job_1']) {
    const result = await run([...line.split(' '), '--timeout', '500ms', '-o', `${folder}/`], {
      env: service.env,
      tty: { stdin: true },
    });
    expect(result).toMatchObject({ code: 12 });
    expect(result.stderr).toContain('not finished within');
    if (line.startsWith('generate')) expect(result.stderr).toContain('svc jobs download job_1');
  }
});

/** What would end long after --timeout, and how long svc took. */
async function hurried(line: string, options: RunOptions = {}, timeout = '300ms') {
  const startedAt = performance.now();
  const result = await run([...words(line), '--timeout', timeout], options);
  return { ...result, tookMs: performance.now() - startedAt };
}

/** A tool that the model calls, which takes a minute the first time. */
function slowTool(rules: readonly object[]) {
  const home = testFolder();
  mkdirSync(join(home, 'tools'));
  const script = 'test -e done || { touch done; exec sleep 60; }; echo fine';
  const argv = ['sh', '-c', `cd '${home}'; ${script}`];
  writeFileSync(join(home, 'tools/wait.json'), JSON.stringify({ argv, timeout: '90s' }));
  return { home, env: localScript(...rules) };
}

it('ends the run of a tool, after which the conversation is continued', async () => {
  const given = slowTool([
    { match: { last: 'user' }, toolCall: { name: 'wait' } },
    { reply: 'went on' },
  ]);
  const line = '--local chat -m local/script --tool wait --approve always --json hi';
  const { code, stderr, tookMs } = await hurried(line, given, '1s');
  expect({ code, isSoon: tookMs < 20_000 }).toEqual({ code: 12, isSoon: true });
  const { error } = recordOf(JSON.parse(stderr.trim().split('\n').at(-1) ?? ''));
  const hint = 'to continue: svc --local chat --conversation c1';
  expect(error).toMatchObject({ code: 'deadline', exit: 12, hint });
  const { stdout } = await run('--local chat --conversation c1 --approve always', given);
  expect(stdout).toBe('went on\n');
});

it('ends a loop of answers that call tools', async () => {
  const given = slowTool([{ toolCall: { name: 'wait' }, delayMs: 200 }]);
  writeFileSync(join(given.home, 'done'), '');
  const line = '--local chat -m local/script --tool wait --approve always --max-turns 50 hi';
  const { code, tookMs } = await hurried(line, given);
  expect([10, 12]).toContain(code);
  expect(tookMs).toBeLessThan(20_000);
});

const silent = () => ({ stdin: new PassThrough() });

it.each<[line: string, message: string, options?: RunOptions]>([
  [`--local chat -m local/echo --mcp "sleep 60" hi`, 'not finished within 300 ms'],
  ['--local chat -m local/echo', 'not finished within 300 ms', silent()],
  ['--local embed -m local/embed', 'not finished within 300 ms', silent()],
  ['--local embed -m local/embed --lines', 'not finished within 300 ms', silent()],
  ['--local transcribe -', 'not finished within 300 ms', silent()],
  ['--local files upload -', 'not finished within 300 ms', silent()],
  ['--local batch run -', 'not finished within 300 ms', silent()],
])('svc %s ends with 6, before anything is sent', async (line, message, options) => {
  const { code, stderr, tookMs } = await hurried(line, options);
  expect({ code, stderr }).toEqual({ code: 6, stderr: expect.stringContaining(message) as string });
  expect(tookMs).toBeLessThan(20_000);
});

// A service that asks to wait: how long that is done, and what is said of it.

const now = Date.UTC(2026, 0, 1);

async function limited(line: string, retryAfter: string) {
  const service = await fakeService(
    json({ error: 'slow down' }, 429, { 'retry-after': retryAfter }),
  );
  const clock = new SkippingClock({ now });
  const result = await run(line, { env: service.env, clock, tty: { stdin: true } });
  const waits = clock.sleeps.filter((ms) => ms === Number(retryAfter) * 1000);
  return { ...result, asked: service.requests.length, waits };
}

it.each(['balance', 'chat -m m hi', 'speak -m m hi -o -', 'api GET /v1/balance', 'models list'])(
  'svc %s says at once when to come back',
  async (line) => {
    const { code, stderr, asked, waits } = await limited(line, '7200');
    expect({ code, waits, asked }).toEqual({ code: 7, waits: [], asked: 1 });
    expect(stderr).toContain('try again in 7200 s, at 2026-01-01T02:00:00Z');
    expect(stderr).toContain('hint: wait 2 h, then run it again');
  },
);

it('says it in the JSON error', async () => {
  const { stderr } = await limited('balance --json', '7200');
  expect(JSON.parse(stderr)).toMatchObject({ error: { exit: 7, retryAfterSeconds: 7200 } });
});

it('waits for 60 s in all, and says so once', async () => {
  const { code, stderr, waits } = await limited('balance', '40');
  expect({ code, waits }).toEqual({ code: 7, waits: [40_000] });
  expect(stderr.match(/^waiting 40 s: /gm)).toHaveLength(1);
  expect((await limited('balance', '30')).waits).toEqual([30_000, 30_000]);
  expect((await limited('balance', '61')).waits).toEqual([]);
});

it.each(['--retry-wait 3h', '--timeout 3h'])('waits for longer with %s', async (flag) => {
  const answers = [
    json({ error: 'slow down' }, 429, { 'retry-after': '7200' }),
    json({ balance_rub: 5, currency: 'RUB' }),
  ];
  const service = await fakeService((seen, response) => answers.shift()?.(seen, response));
  const clock = new PollingClock({ now });
  const waits = clock.sleep.bind(clock);
  clock.sleep = (ms, signal) => {
    const slept = waits(ms, signal);
    if (ms === 7_200_000) clock.pass(ms);
    return slept;
  };
  const result = await run(`balance ${flag}`, { env: service.env, clock });
  expect(result).toMatchObject({ code: 0 });
  expect(result.stderr).toContain('waiting 2 h: the service answered 429 and asked to wait\n');
});
