import { expect, test } from 'vitest';
import { recordOf } from '../../../src/lib/json.js';
import { testFolder } from '../../helpers/folder.js';
import { localScript } from '../../helpers/local-script.js';
import { ManualClock } from '../../helpers/manual-clock.js';
import { startMcp } from '../../helpers/mcp-client.js';
import { run } from '../../helpers/run.js';

/** A clock whose time passes with each wait between two questions, or two words of progress. */
class WaitingClock extends ManualClock {
  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const slept = super.sleep(ms, signal);
    const pass = () => {
      if (!signal?.aborted) this.pass(ms);
    };
    // Work that takes no time here takes some turns of the loop, and more on a busy machine.
    if (ms <= 10_000 && ms !== 3000) setTimeout(pass, 2);
    return slept;
  }
}

const minute = { env: { SVC_LOCAL_JOB_TIME: '1m' } };

async function chargesIn(home: string): Promise<unknown> {
  const { stdout } = await run('--local usage list --json', { home });
  return [recordOf(JSON.parse(stdout))['data']].flat();
}

test('a wait without a progress token ends after 45 s, and what to call next gets the file', async () => {
  const clock = new WaitingClock();
  const files = testFolder();
  const { call, home } = await startMcp(`--files ${files}`, { ...minute, clock });
  const startedAtMs = clock.now();
  const given = { model: 'local/canvas', prompt: 'x' };
  const { json, more, isError } = await call('generate', given);
  expect({ json, more, isError }).toEqual({
    json: expect.objectContaining({
      state: 'running',
      next: 'it continues: call jobs_wait with its id, then jobs_download',
    }),
    more: [],
    isError: false,
  });
  expect(clock.now() - startedAtMs).toBeGreaterThanOrEqual(45_000);
  expect(clock.now() - startedAtMs).toBeLessThan(56_000);
  const id = String(json['id']);
  const waited = await call('jobs_wait', { id: [id], timeout: '10m' });
  expect(waited).toMatchObject({ json: { jobs: [{ id, state: 'done' }] }, isError: false });
  expect(waited.json).not.toHaveProperty('next');
  expect((await call('jobs_download', { id })).images).toHaveLength(1);
  expect(await chargesIn(home)).toHaveLength(1);
});

test('a job that takes ten minutes is asked for again and again, and paid for once', async () => {
  const clock = new WaitingClock();
  const env = { SVC_LOCAL_JOB_TIME: '10m' };
  const { call, client, home } = await startMcp('', { env, clock });
  const given = { model: 'local/canvas', prompt: 'x' };
  const { id } = (await call('generate', given)).json;
  for (const timeout of [undefined, null, '10m']) {
    const name = 'jobs_wait';
    const waiting = { name, arguments: { id: [id], timeout } };
    const result = await client.callTool(waiting);
    const data = { jobs: [expect.objectContaining({ id, state: 'running' })] };
    expect(result).toMatchObject({ isError: false, structuredContent: data });
    const next = 'it continues: call jobs_wait with its id, then jobs_download';
    expect(recordOf(result.structuredContent)).toMatchObject({ next });
  }
  const again = await call('generate', given);
  expect(again.json).toMatchObject({ id, state: 'running', resumed: true });
  const files = await call('jobs_download', { id });
  expect(files).toMatchObject({ json: { error: { code: 'pending' } }, isError: true });
  expect(await chargesIn(home)).toHaveLength(1);
});

test('a time limit of the call or the server below 45 s is kept, and one that is none refused', async () => {
  const clock = new WaitingClock();
  const env = { SVC_LOCAL_JOB_TIME: '10m' };
  const words = '--timeout 5s --tools generate,jobs_wait,jobs_list';
  const { call } = await startMcp(words, { env, clock });
  const startedAtMs = clock.now();
  const { json } = await call('generate', { model: 'local/canvas', prompt: 'x' });
  const next = 'it continues: call jobs_wait with its id';
  expect(json).toMatchObject({ state: 'running', next });
  await call('jobs_wait', { id: json['id'], timeout: '20s' });
  expect(clock.now() - startedAtMs).toBeLessThan(45_000);
  const refused = await call('jobs_wait', { id: json['id'], timeout: 'soon' });
  expect(refused).toMatchObject({ json: { error: { exit: 2 } }, isError: true });
});

test.each([
  ['generate', { model: 'local/canvas', prompt: 'x' }],
  ['chat', { model: 'local/script', prompt: 'x' }],
])('with a progress token, %s waits on and is heard of every 20 s', async (name, given) => {
  const clock = new WaitingClock();
  const script = localScript({ reply: 'late', delayMs: 120_000 });
  const { call } = await startMcp('', { env: { ...script, SVC_LOCAL_JOB_TIME: '2m' }, clock });
  const startedAtMs = clock.now();
  const heard: { atMs: number; progress: number; message?: string }[] = [];
  const onprogress = (shown: { progress: number; message?: string }) =>
    heard.push({ ...shown, atMs: clock.now() });
  const { json, isError } = await call(name, given, { onprogress });
  const endedAtMs = clock.now();
  // A call that ended early would have its next step, and no end.
  const end = name === 'chat' ? { complete: true } : { state: 'done' };
  expect({ json, isError }).toMatchObject({ json: end, isError: false });
  expect(endedAtMs - startedAtMs).toBeGreaterThanOrEqual(120_000);
  const timesMs = [startedAtMs, ...heard.map(({ atMs }) => atMs), endedAtMs];
  for (const [at, timeMs] of timesMs.entries())
    expect(timeMs - (timesMs[at - 1] ?? timeMs)).toBeLessThanOrEqual(20_000);
  expect(heard.map(({ progress }) => progress)).toEqual(heard.map((_, at) => at + 1));
  expect(heard.every(({ message = '' }) => message !== '')).toBe(true);
  const { length } = heard;
  clock.pass(60_000);
  await call('balance');
  expect(heard).toHaveLength(length);
});
