import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listOf, numberOf, recordOf } from '../../../src/lib/json.js';
import { testFolder } from '../../helpers/folder.js';
import { localScript } from '../../helpers/local-script.js';
import { startMcp } from '../../helpers/mcp-client.js';
import { mcpServer, offers } from '../../helpers/mcp-server.js';
import { run } from '../../helpers/run.js';
import { killedIn } from '../../helpers/state.js';

const quick = { env: { SVC_LOCAL_JOB_TIME: '0ms' } };

async function spentRub(home: string): Promise<number> {
  const { stdout } = await run('--local balance --json', { home });
  return 1000 - Number(recordOf(JSON.parse(stdout))['balance_rub']);
}

test('a question to a model is answered with its price', async () => {
  const { call, home } = await startMcp();
  const { json, isError } = await call('chat', { prompt: 'hi there', model: 'local/echo' });
  expect(isError).toBe(false);
  expect(json).toMatchObject({ text: 'hi there', complete: true });
  expect(numberOf(recordOf(json['cost'])['priceRub'])).toBeCloseTo(await spentRub(home), 9);
});

test('a word that looks like an option or a command stays a word', async () => {
  const { call } = await startMcp();
  for (const prompt of ['--json', '-x', 'help', '--']) {
    const { json } = await call('chat', { prompt, system: '--local', model: 'local/echo' });
    expect(json['text']).toBe(prompt);
  }
});

test('an image arrives as an image, and as a new file in the folder of --files', async () => {
  const files = testFolder();
  const { call } = await startMcp(`--files ${files}`, quick);
  for (const count of [1, 2]) {
    const { json, images } = await call('image_create', { prompt: 'a lighthouse' });
    expect(images).toEqual([{ type: 'image', data: expect.any(String), mimeType: 'image/png' }]);
    const paths = readdirSync(files).map((name) => join(files, name));
    expect(paths).toHaveLength(count);
    expect(paths).toContain(recordOf([json['files']].flat()[0])['path']);
    expect(json).toMatchObject({ cost: { priceRub: 2.4 } });
  }
});

test('a job that was left is waited for, and then downloaded', async () => {
  const files = testFolder();
  const { call } = await startMcp(`--files ${files}`, quick);
  const { json } = await call('generate', { model: 'local/canvas', prompt: 'x', wait: false });
  const id = String(json['id']);
  const waited = await call('jobs_wait', { id: [id], timeout: '1m' });
  expect(waited).toMatchObject({ json: { jobs: [{ id, status: 'success' }] }, images: [] });
  expect(readdirSync(files)).toEqual([]);
  const { images } = await call('jobs_download', { id });
  expect(images).toHaveLength(1);
  expect(readdirSync(files)).toEqual([`local-canvas-${id}.png`]);
});

test('a client that asks for progress is shown what a spinner would show, each once', async () => {
  const { call } = await startMcp('', quick);
  const shown: (string | undefined)[] = [];
  const onprogress = ({ message }: { message?: string }) => shown.push(message);
  await call('generate', { model: 'local/canvas', prompt: 'x' }, { onprogress });
  expect(shown[0]).toMatch(/^running · \d s · 2\.40 RUB · job_/);
  expect(shown.at(-1)).toMatch(/^downloading [\d.]+ kB of [\d.]+ kB$/);
  expect(shown.filter((words, at) => words === shown[at - 1])).toEqual([]);
});

test('a long result is a whole file in the folder, and the answer says what it cost', async () => {
  const files = testFolder();
  const { call, home } = await startMcp(`--files ${files}`);
  const text = Array.from({ length: 300 }, (_, at) => `text ${at}`);
  const { json, more, isError } = await call('embed', { text, model: 'local/embed' });
  const [name = ''] = readdirSync(files);
  const saved = readFileSync(join(files, name), 'utf8');
  const cost = recordOf(recordOf(JSON.parse(saved))['cost']);
  expect(numberOf(cost['priceRub'])).toBeCloseTo(await spentRub(home), 9);
  expect(json).toEqual({ savedTo: join(files, name), bytes: saved.length, cost });
  expect({ isError, more }).toEqual({ isError: false, more: [] });
});

test('a long result that cannot be saved is sent whole: it has been paid for', async () => {
  const files = testFolder();
  const { call, home } = await startMcp(`--files ${files}`);
  rmSync(files, { recursive: true });
  writeFileSync(files, 'in the way');
  const text = Array.from({ length: 300 }, (_, at) => `text ${at}`);
  const { json, isError } = await call('embed', { text, model: 'local/embed' });
  expect({ isError, vectors: listOf(json['data']).length }).toEqual({
    isError: false,
    vectors: 300,
  });
  const { priceRub } = recordOf(json['cost']);
  expect(numberOf(priceRub)).toBeCloseTo(await spentRub(home), 9);
});

test('a folder for results that cannot be created is refused before anything is paid', async () => {
  const file = join(testFolder(), 'file');
  writeFileSync(file, '');
  const words = ['--local', 'mcp', '--files', join(file, 'x')];
  const { code, stderr } = await run(words, { stdin: '' });
  expect({ code, stderr }).toMatchObject({ code: 11, stderr: expect.stringContaining(file) });
  expect(await run([...words, '--read-only'], { stdin: '' })).toMatchObject({ code: 0 });
});

test('a conversation that runs a server is not continued: svc mcp starts no program', async () => {
  const folder = testFolder();
  const started = join(folder, 'started');
  const count = `require('node:fs').appendFileSync(${JSON.stringify(started)}, 'x');`;
  const server = mcpServer({ 'tools/list': offers('echo') }, count);
  const asking = ['--local', 'chat', '-m', 'local/echo', '--mcp', server, 'hi'];
  expect(await run(asking, { home: folder })).toMatchObject({ code: 0 });
  const { call } = await startMcp('', { home: folder });
  const before = await spentRub(folder);
  const { json } = await call('chat', { prompt: 'and?', conversation: 'c1' });
  expect(json).toMatchObject({ error: { exit: 2, message: expect.stringContaining('svc mcp') } });
  expect(readFileSync(started, 'utf8')).toBe('x');
  expect(await spentRub(folder)).toBe(before);
});

test('what svc refuses is an error with its code and a hint', async () => {
  const { call, home } = await startMcp();
  for (const [name, values, message] of [
    ['chat', { promt: 'hi' }, 'chat has no argument "promt"; did you mean prompt?'],
    ['chat', { prompt: { text: 'hi' } }, 'prompt must be a text'],
    ['chat', { prompt: 5 }, 'prompt must be a text'],
    ['chat', { prompt: 'hi', model: [7] }, 'model must be a text, or a list of them'],
    ['chat', { prompt: 'hi', attach: [7] }, 'attach must be a text, or a list of them'],
    ['chat', { prompt: 'hi', maxTokens: 1.5 }, 'maxTokens must be a whole number'],
    ['chat', { prompt: 'hi', maxCost: '1' }, 'maxCost must be a number'],
    ['chat', { prompt: 'hi', output: 'x' }, 'chat has no argument "output"'],
    ['generate', { prompt: 'x', wait: 'no' }, 'wait must be true or false'],
    ['models_show', {}, 'models_show needs the argument id'],
    ['jobs_wait', { id: ['x'], exec: 'touch /tmp/x' }, 'jobs_wait has no argument "exec"'],
  ] as const) {
    const { json, isError } = await call(name, values);
    expect({ json, isError }).toMatchObject({
      json: { error: { exit: 2, code: 'invalid_arguments', message } },
      isError: true,
    });
  }
  expect(await spentRub(home)).toBe(0);
});

test('an unknown tool is an error of the protocol that names the tools', async () => {
  const { call } = await startMcp();
  // To compare the second with the names would take half a minute.
  for (const [name, words] of [
    ['chatt', 'Unknown tool: chatt; did you mean chat?'],
    ['x'.repeat(4_000_000), `Unknown tool: ${'x'.repeat(59)}…`],
  ] as const) {
    await expect(call(name)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(words),
      data: { code: 'no_such_tool', hint: expect.stringContaining('chat, generate') },
    });
  }
});

test('what only reads does not send an interrupted request again; generate does', async () => {
  const home = testFolder();
  await run('--local generate local/canvas x --no-wait', { home, ...quick });
  killedIn(home);
  const { call } = await startMcp('', { home, ...quick });
  for (const name of ['jobs_show', 'jobs_wait']) {
    const { json, isError } = await call(name, { id: '@last' });
    expect([isError, JSON.stringify(json)]).toEqual([true, expect.stringContaining('max_cost')]);
  }
  const { json } = await call('generate', { model: 'local/canvas', prompt: 'x' });
  expect(json).toMatchObject({ state: 'done', resumed: true });
  expect(await spentRub(home)).toBeCloseTo(2.4, 9);
});

test('20 calls at once stay within a budget of 1 RUB', async () => {
  const { call, home, toServer } = await startMcp('--max-cost 1');
  // Each call waits until the server reads on.
  toServer.setMaxListeners(0);
  const given = { prompt: 'a word '.repeat(700), maxTokens: 1400, model: 'local/echo' };
  const results = await Promise.all(Array.from({ length: 20 }, () => call('chat', given)));
  const refused = results.filter(({ isError }) => isError);
  for (const { json } of refused) {
    expect(json).toMatchObject({ error: { exit: 5, code: 'max_cost' } });
    expect(JSON.stringify(json)).toContain(
      'left of the 1.00 RUB that the user lets this server spend',
    );
  }
  expect(refused.length).toBeGreaterThan(0);
  expect(await spentRub(home)).toBeGreaterThan(0.5);
  expect(await spentRub(home)).toBeLessThanOrEqual(1);
  // What the calls did not need of it is there for later ones.
  while (!(await call('chat', given)).isError);
  expect(await spentRub(home)).toBeGreaterThan(0.9);
  expect(await spentRub(home)).toBeLessThanOrEqual(1);
});

test.each(['', '--max-cost 50'])('maxCost is the ceiling of one call, with %j', async (words) => {
  const { call } = await startMcp(words);
  const make = (maxCost?: number) =>
    call('generate', { model: 'local/voice', prompt: 'a', maxCost });
  const refused = await make(0.005);
  expect(refused.json).toMatchObject({ error: { exit: 5, code: 'max_cost' } });
  expect(JSON.stringify(refused.json)).toContain('more than maxCost 0.005 RUB');
  for (const maxCost of [0.0123, undefined]) expect((await make(maxCost)).isError).toBe(false);
});

test('--max-cost is the total of the server, below which no call comes', async () => {
  const { call } = await startMcp('--max-cost 0.015');
  const make = (prompt: string) =>
    call('generate', { model: 'local/voice', prompt, maxCost: 0.01 });
  expect((await make('a')).isError).toBe(false);
  expect(JSON.stringify((await make('b')).json)).toContain(
    'left of the 0.015 RUB that the user lets this server spend',
  );
});

test('with --read-only nothing can be paid for', async () => {
  const { call, client } = await startMcp('--read-only');
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('balance');
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
  await expect(call('chat', { prompt: 'hi' })).rejects.toMatchObject({ code: -32602 });
});

test('with --dry-run a call shows its request, and sends nothing', async () => {
  const { call, home } = await startMcp('--dry-run');
  const { json } = await call('chat', { prompt: 'hi' });
  expect(json).toMatchObject({ method: 'POST', body: { model: 'local/guide' } });
  expect(await spentRub(home)).toBe(0);
});

test('a call that the client cancels is ended, and the next one answered', async () => {
  const env = localScript({ match: 'slow', reply: 'late', delayMs: 600_000 }, { reply: 'quick' });
  const { call } = await startMcp('', { env });
  const cancelling = new AbortController();
  const model = 'local/script';
  const slow = call('chat', { prompt: 'slow', model }, { signal: cancelling.signal });
  const quick = await call('chat', { prompt: 'x', model });
  expect(quick.json).toMatchObject({ text: 'quick' });
  cancelling.abort();
  await expect(slow).rejects.toThrow();
  expect((await call('balance')).isError).toBe(false);
});

test('--timeout limits a call that sets none', async () => {
  const env = localScript({ reply: 'late', delayMs: 600_000 });
  const { call } = await startMcp('--timeout 50ms', { env });
  for (const given of [{}, { timeout: null }]) {
    const { isError } = await call('chat', { prompt: 'x', model: 'local/script', ...given });
    expect(isError).toBe(true);
  }
});

test('the end of stdin ends what runs, and a job that was accepted stays in the ledger', async () => {
  const env = { SVC_LOCAL_JOB_TIME: '10m' };
  const { call, ended, home, toServer } = await startMcp('', { env });
  const accepted = new Promise<void>((resolve) => {
    const onprogress = () => resolve();
    call('generate', { model: 'local/canvas', prompt: 'x' }, { onprogress }).catch(() => undefined);
  });
  await accepted;
  toServer.end();
  expect((await ended).code).toBe(0);
  const { stdout } = await run('--local jobs list --json', { home, env });
  expect(JSON.parse(stdout)).toMatchObject([{ status: 'processing', prompt: 'x' }]);
});
