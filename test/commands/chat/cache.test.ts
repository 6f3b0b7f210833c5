import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { recordOf } from '../../../src/lib/json.js';
import { served, says } from './session-scene.js';
import { front, type Answer } from '../../helpers/front.js';
import { testFolder } from '../../helpers/folder.js';
import { SkippingClock } from '../../helpers/manual-clock.js';
import { run } from '../../helpers/run.js';

const posts = (calls: readonly string[]) => calls.filter((call) => call.startsWith('POST'));
const events = (...data: string[]) => data.map((one) => `data: ${one}\n\n`).join('');
const delta = (content: string, reason?: string) =>
  JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: reason ?? null }] });
const stream = (text: string): Answer => ({
  bytes: Buffer.from(text),
  headers: { 'content-type': 'text/event-stream', 'x-svc-generation-id': 'gen-1' },
});

it.each([
  ['a refusal', { status: 400, json: { error: { message: 'no' } } }],
  ['a failure in a stream', stream(events(delta('hi'), '{"error":{"message":"overloaded"}}'))],
  ['a stream that ends early', stream(events(delta('hi')))],
  ['a stream without its terminal event', stream(events(delta('hi', 'stop')))],
  ['an empty answer', stream(events('{"choices":[]}', '[DONE]'))],
  [
    'a page',
    { bytes: Buffer.from('<html>login</html>'), headers: { 'content-type': 'text/html' } },
  ],
  ['JSON without an answer', { json: {} }],
])('never keeps %s', async (_, answer) => {
  const { calls, on, svc } = await front();
  on('chat.create', { answer, times: 1 });
  await svc('chat -m local/guide hi --cache');
  await svc('chat -m local/guide hi --cache');
  expect(posts(calls())).toHaveLength(2);
  await svc('chat -m local/guide hi --cache');
  expect(posts(calls())).toHaveLength(2);
});

it('never keeps what was cut off', async () => {
  const { calls, on, svc } = await front();
  on('chat.create', { cutAfterBytes: 200, times: 1 });
  expect(await svc('chat -m local/guide hi --cache')).toMatchObject({ code: 12 });
  expect(await svc('chat -m local/guide hi --cache')).toMatchObject({ code: 0 });
  expect(posts(calls())).toHaveLength(2);
});

it('keeps an answer that its limit has ended, as the service sent it', async () => {
  const { calls, on, svc } = await front();
  on('chat.create', { answer: stream(events(delta('one two', 'length'), '[DONE]')) });
  const first = await svc('chat -m local/guide hi --cache');
  expect(await svc('chat -m local/guide hi --cache')).toEqual(first);
  expect(posts(calls())).toHaveLength(1);
});

it('shows reasoning, events and bytes again as they came', async () => {
  const { calls, on, svc } = await front();
  const text = events(delta('a\u2028'), delta('😀 12345678901234567890', 'stop'), '[DONE]');
  on('chat.create', { answer: stream(text) });
  for (const line of ['chat -m local/guide hi', 'chat -m local/guide hi --plain']) {
    const first = await svc(`${line} --cache`);
    expect(first.stdout).toBe('a\u2028😀 12345678901234567890\n');
    expect(await svc(`${line} --cache`)).toEqual(first);
  }
  const done = (out: string) => recordOf(JSON.parse(out.trimEnd().split('\n').at(-1) ?? ''));
  const streamed = await svc('chat -m local/guide hi --cache --events');
  expect(done(streamed.stdout)).toMatchObject({ cached: true, cost: { priceRub: 0 } });
  expect(posts(calls())).toHaveLength(1);
});

it('is another question with another model, prompt, option, account or conversation', async () => {
  const { calls, svc } = await front();
  const lines = ['hi', 'hi!', '--temperature 0.1 hi', '--temperature 0.2 hi', '-s short hi'];
  for (const line of lines) await svc(`chat -m local/guide --cache ${line}`);
  expect(posts(calls())).toHaveLength(lines.length);
  await svc('chat -m local/guide --cache hi', { env: { SVC_API_KEY: 'sk-svc-other' } });
  expect(posts(calls())).toHaveLength(lines.length + 1);
  await svc('chat -m local/guide --cache --conversation talk hi');
  await svc('chat -m local/guide --cache --conversation talk hi');
  expect(posts(calls())).toHaveLength(lines.length + 2);
  for (const line of lines) await svc(`chat -m local/guide --cache ${line}`);
  expect(posts(calls())).toHaveLength(lines.length + 2);
});

it('is on for all commands by the setting and the variable, and off for one with 0', async () => {
  const { calls, svc } = await front();
  await svc('config set cache 24h');
  const ask = (more: string, env = {}) => svc(`chat -m local/guide ${more}`, { env });
  await ask('hi');
  await ask('hi');
  expect(posts(calls())).toHaveLength(1);
  for (const more of ['--cache=0 hi', '--no-cache hi', '--no-log hi']) await ask(more);
  expect(posts(calls())).toHaveLength(4);
  await ask('hi', { SVC_CACHE: 'off' });
  expect(posts(calls())).toHaveLength(5);
  await ask('--no-log --cache hi');
  expect(posts(calls())).toHaveLength(5);
  expect((await svc('config get cache')).stdout).toBe('24h\n');
  await svc('config set cache off');
  expect((await svc('config get cache')).stdout).toBe('off\n');
  expect(await svc('config set cache soon')).toMatchObject({ code: 2 });
  await ask('hi');
  expect(posts(calls())).toHaveLength(6);
});

it('does not take the prompt for its time', async () => {
  const { svc, posted } = await front();
  await svc('chat -m local/guide --cache 1h');
  expect(posted()).toMatchObject([{ messages: [{ content: '1h' }] }]);
  for (const wrong of ['--cache=', '--cache=soon', '--cache --cache=1h', '--no-cache=1h'])
    expect(await svc(`chat -m local/guide ${wrong} hi`)).toMatchObject({ code: 2, stdout: '' });
});

it('is as old as its time allows, also where the clock goes back', async () => {
  const { calls, clock, svc } = await front();
  const minute = 60_000;
  const ask = async (time: string, atMs: number) => {
    await svc(`chat -m local/guide --cache=${time} hi`, {
      clock: new SkippingClock({ now: atMs }),
    });
    return posts(calls()).length;
  };
  const startMs = clock.now();
  expect(await ask('1h', startMs)).toBe(1);
  expect(await ask('24h', startMs + 59 * minute)).toBe(1);
  expect(await ask('10m', startMs + 59 * minute)).toBe(2);
  expect(await ask('24h', startMs + 70 * minute)).toBe(3);
  expect(await ask('24h', startMs + 69 * minute)).toBe(4);
  expect(await ask('24h', startMs + 70 * minute)).toBe(4);
});

it('reserves nothing and logs a price of 0', async () => {
  const { svc } = await front();
  await svc('chat -m local/guide --cache --max-tokens 50 hi');
  const again = await svc('chat -m local/guide --cache --max-tokens 50 --max-cost 0 hi');
  expect(again).toMatchObject({ code: 0 });
  const { stdout } = await svc('logs list --json');
  const turns: unknown = JSON.parse(stdout);
  expect(JSON.stringify(turns)).toContain('"priceRub":0');
  const budget = recordOf(JSON.parse((await svc('budget list --json')).stdout));
  expect(JSON.stringify(budget)).not.toContain('reservedRub":0.');
});

it('needs no ceiling where search and question were asked before', async () => {
  const { calls, svc } = await front();
  const line = 'chat -m local/guide --cache --max-tokens 50 --search node';
  await svc(`${line} --max-cost 5 when`);
  const sent = calls();
  expect(await svc(`${line} --max-cost 0 when`)).toMatchObject({ code: 0 });
  expect(calls()).toEqual(sent);
  const other = await svc(`${line} --max-cost 0 where`);
  expect(other).toMatchObject({ code: 5, stdout: '' });
});

it('asks anew where the answer did not fit its schema, also after a repair', async () => {
  const { calls, file, on, svc } = await front();
  const schema = file('schema.json', '{"type":"object","required":["name"]}');
  on('chat.create', { answer: stream(events(delta('{"no":1}', 'stop'), '[DONE]')), times: 1 });
  on('chat.create', {
    answer: ({ body }) =>
      body.includes('does not fit')
        ? stream(events(delta('{"name":1}', 'stop'), '[DONE]'))
        : undefined,
  });
  const line = `chat -m local/guide --cache --schema ${schema}`;
  expect(await svc(`${line} who`)).toMatchObject({ code: 12 });
  on('chat.create', { answer: stream(events(delta('{"no":1}', 'stop'), '[DONE]')), nth: 1 });
  const repaired = await svc(`${line} --ask-again who`);
  expect(repaired).toMatchObject({ code: 0, stdout: '{"name":1}\n' });
  expect(posts(calls())).toHaveLength(3);
  const again = await svc(`${line} --ask-again --json who`);
  expect(JSON.parse(again.stdout)).toMatchObject({ cached: true, repaired: true });
  expect(posts(calls())).toHaveLength(3);
});

it('says of each compared answer whether it was cached', async () => {
  const { calls, svc } = await front();
  await svc('chat -m local/guide --cache hi');
  const { stdout } = await svc('chat -m local/guide -m local/guide:economy --cache --json hi');
  const [one, other] = [JSON.parse(stdout)].flat().map(recordOf);
  expect(one).toMatchObject({ cached: true, cost: { priceRub: 0 } });
  expect(other).not.toHaveProperty('cached');
  expect(posts(calls())).toHaveLength(2);
});

it('is emptied with what is deleted from the log, of which nothing stays in the file', async () => {
  const { calls, clock, home, on, svc } = await front();
  const word = 'a-word-that-is-nowhere-else';
  on('chat.create', { answer: stream(events(delta(word, 'stop'), '[DONE]')) });
  const ask = (text: string, time = '1h') => svc(`chat -m local/guide --cache=${time} ${text}`);
  await ask('one', '1s');
  clock.pass(2000);
  await ask('two');
  const file = () => readFileSync(join(home, 'data/state.db')).toString('latin1');
  await svc('logs delete --all --yes');
  expect(file()).not.toContain(word);
  const before = posts(calls()).length;
  await ask('two');
  expect(posts(calls())).toHaveLength(before + 1);
});

it('is no part of a template, and of one that is used', async () => {
  const { calls, svc } = await front();
  const save = 'chat -m local/guide --save short "Explain {x}"';
  expect(await svc(`${save} --cache`)).toMatchObject({ code: 2, stdout: '' });
  expect(await svc(save)).toMatchObject({ code: 0 });
  for (const x of ['dns', 'dns', 'http']) await svc(`chat -t short -p x=${x} --cache`);
  expect(posts(calls())).toHaveLength(2);
});

it('answers a question of a session that was asked before, and adds nothing to its cost', async () => {
  const { bodies, talk } = await served(says('one'), says('two'));
  const line = 'chat -i -m v --cache';
  const { stdout, stderr } = await talk(['first', '/undo', 'first', 'second', '/cost'], { line });
  expect(stdout).toBe('one\none\ntwo\n');
  expect(bodies()).toHaveLength(2);
  expect(stderr).toContain('0.00 RUB · cached');
});

it('costs nothing but the cache where state.db cannot be used', async () => {
  const { calls, file, home, svc } = await front();
  mkdirSync(join(home, 'data'));
  file('data/state.db', 'not a database at all, but long enough to be taken for one '.repeat(20));
  const first = await svc('chat -m local/guide --no-log --cache hi');
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(await svc('chat -m local/guide --no-log --cache hi')).toEqual(first);
  expect(posts(calls())).toHaveLength(2);
});

it('works offline too, and a dry run takes nothing from it', async () => {
  const home = testFolder();
  const first = await run('--local chat --cache hi', { home });
  const again = await run('--local chat --cache --json hi', { home });
  expect(JSON.parse(again.stdout)).toMatchObject({ cached: true });
  expect(String(recordOf(JSON.parse(again.stdout))['text']).trim()).toBe(first.stdout.trim());
  const shown = await run('--local chat --cache --dry-run hi', { home });
  expect(shown.stdout).toContain('"method"');
});

it('is not on by the setting for play money: its rules may change', async () => {
  const home = testFolder();
  await run('config set cache 24h', { home });
  for (let nth = 0; nth < 2; nth += 1) {
    const { stdout } = await run('--local chat --json hi', { home });
    expect(JSON.parse(stdout)).not.toHaveProperty('cached');
  }
});
