import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testFolder } from '../helpers/folder.js';
import { run } from '../helpers/run.js';
import { wav } from '../lib/audio/files.js';

const recording = wav(Buffer.alloc(16_000));
const hintOf = (paid: string) =>
  `hint: ${paid.startsWith('chat') ? 'limit the answer with --max-tokens N or --shorten, or ' : ''}raise --max-cost\n`;

/** What each may cost at most, by the prices of the embedded service. */
const paid: readonly (readonly [line: string, most: string])[] = [
  ['chat --max-tokens 100 hi', '0.0469'],
  ['chat --max-tokens 100 --format messages hi', '0.0449'],
  ['chat --max-tokens 100 --format responses hi', '0.0451'],
  ['chat -m local/guide:economy --max-tokens 100 hi', '0.02365'],
  ['chat hi', '1.65'],
  ['search node', '0.30'],
  ['search --mode pro --count 20 node', '1.80'],
  ['search --region ru node', '1.20'],
  ['embed hi', '0.000038'],
  ['decide --state x --yes-no spam=unwanted', '0.00152'],
  ['image create -o - --quality draft a', '0.60'],
  ['speak -o - hello', '0.04'],
  ['transcribe -', '0.02'],
  ['generate -o - local/voice a', '0.01'],
];

it.each(paid)(
  '--max-cost %s is refused below %s RUB, and nothing is charged',
  async (line, most) => {
    const home = testFolder();
    const env = { SVC_LOCAL_JOB_TIME: '0' };
    const options = { home, env, stdin: line === 'transcribe -' ? recording : '' };
    const below = await run(`--local ${line} --max-cost 0.00001`, options);
    expect(below).toMatchObject({ code: 5, stdout: '' });
    const message = `error: this request may cost up to ${most} RUB, more than --max-cost 0.00001 RUB\n`;
    expect(below.stderr).toContain(message + hintOf(line));
    expect((await run('--local usage list', { home })).stdout).toBe('');
    expect((await run(`--local ${line} --max-cost ${most}`, options)).code).toBe(0);
  },
);

it('a price that is hardly above --max-cost is seen to be above it', async () => {
  const { stderr } = await run('--local image create -o - a --max-cost 2.399999');
  expect(stderr).toContain('up to 2.40 RUB, more than --max-cost 2.399999 RUB');
});

it('--max-cost is one ceiling for all requests of a command', async () => {
  const home = testFolder();
  const search = '--local chat --search node --max-tokens 20 --max-cost';
  const both = await run(`${search} 0.31 hi`, { home });
  expect(both.code).toBe(5);
  expect(both.stderr).toMatch(/ up to 0\.30 RUB, and those before it \S+ RUB, more than --max-/);
  expect((await run(`${search} 1 hi`, { home })).code).toBe(0);
  // Each batch may cost twice what it does, so prices are learned on the way.
  const texts = 'a sentence of some words\n'.repeat(40);
  const lines = `--local embed --lines --batch 4 -o ${join(home, 'a.npy')} --force --max-cost`;
  expect((await run(`${lines} 0.0012`, { home, stdin: texts })).code).toBe(0);
  const cut = await run(`${lines} 0.0005`, { home, stdin: texts });
  expect(cut.code).toBe(12);
  expect(cut.stderr).toContain('more than --max-cost 0.0005 RUB');
});

it('--max-cost is kept by svc api, but not by a dry run', async () => {
  const body = '-f model=local/guide -f messages[][role]=user -F max_tokens=10000';
  const line = `--local api POST /v1/chat/completions ${body} --max-cost 1`;
  expect(await run(line)).toMatchObject({ code: 5, stdout: '' });
  const paths = ['/v1/./', '/v1/x/../', '/v1\\', '//v1/%63h%61t/../', '/V1/'];
  const others = paths.map((path) => line.replace('/v1/', path));
  for (const other of [...others, line.replace('10000', '-5')])
    expect(await run(other), other).toMatchObject({ code: 5, stdout: '' });
  const unknown = await run(line.replace('/v1/', '/v2/'));
  expect(unknown.stderr).toContain('the price of local/guide is not known');
  expect((await run(`${line} --dry-run`)).code).toBe(0);
  expect((await run('--local api GET /v1/models --max-cost 0')).code).toBe(0);
});

it('--max-cost --shorten lowers --max-tokens to what fits, and refuses fewer than 16', async () => {
  const fit = (more: string) => run(`--local chat --shorten --json --max-cost ${more} hi`);
  for (const format of ['chat', 'messages', 'responses']) {
    const fitted = await fit(`0.02 --format ${format}`);
    expect(fitted.code).toBe(0);
    expect(JSON.parse(fitted.stdout)).toMatchObject({ finishReason: /length|max|incomplete/ });
  }
  expect(JSON.parse((await fit('5 --max-tokens 20')).stdout)).toMatchObject({
    usage: { outputTokens: 20 },
  });
  expect(JSON.parse((await fit('500')).stdout)).toMatchObject({ finishReason: 'stop' });
  expect((await fit('4.9799')).code).toBe(0);
  const few = await fit('0.01');
  expect(few.code).toBe(5);
  expect(few.stderr).toContain('fewer than 16 tokens of an answer fit into 0.01 RUB');
  const { code, stderr } = await run('--local chat --shorten hi');
  expect([code, stderr]).toEqual([2, expect.stringContaining('needs --max-cost or a budget')]);
});
