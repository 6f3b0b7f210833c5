/** What `svc __complete` offers from caches and state.db. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { Sql } from '../../src/lib/sql.js';
import { accountOf } from '../../src/state/account.js';
import { StateDatabase } from '../../src/state/database.js';
import { Ledger } from '../../src/state/ledger.js';
import { Log, type NewTurn } from '../../src/state/log.js';
import { pathsFrom, type Paths } from '../../src/state/paths.js';
import { capabilityCache, listedCaches, nameCache } from '../../src/state/small-files.js';
import { homeWith } from '../helpers/config-home.js';
import { fakeService } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { run } from '../helpers/run.js';

const work = { base_url: 'https://work.example', key: 'sk-svc-workworkwork' };
const account = accountOf('work', 'https://work.example', work.key);
const nowMs = Date.parse('2026-01-02T00:00:00Z');
let home: string;
let paths: Paths;

beforeEach(() => {
  home = homeWith({ profiles: { work, other: { ...work, base_url: 'https://other.example' } } });
  paths = pathsFrom({ SVC_CONFIG_DIR: home });
});

/** The candidates for the end of a line, with a space for each tab. */
async function complete(line: string, env: Record<string, string> = {}): Promise<string[]> {
  const argv = ['__complete', '--', ...line.split(' ')];
  const clock = new ManualClock({ now: nowMs });
  const { code, stdout, stderr } = await run(argv, { home, env, clock });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.split('\n').slice(0, -1);
}

function addJob(id: number, more: { model?: string; prompt?: string } = {}): void {
  const { model = 'vendor/video', prompt = 'waves' } = more;
  const ledger = new Ledger(paths);
  const of = { intent: `key-${id}`, atMs: nowMs - 120_000 };
  const body = JSON.stringify({ model, prompt });
  const request = { kind: 'generate', account, model, hash: 'h', headers: {}, body } as const;
  ledger.append({ type: 'wanted', ...of, ...request });
  ledger.append({ type: 'accepted', ...of, jobId: `job_${id}`, status: 'processing' });
}

test('models are those of the account that the line or the environment names', async () => {
  nameCache(paths, account).keep({ names: ['vendor/chat', 'vendor/embed'] });
  const names = ['vendor/chat', 'vendor/embed'];
  expect(await complete('--profile work chat -m ')).toEqual(names);
  expect(await complete('chat --profile=work -m vendor/e')).toEqual(['vendor/embed']);
  expect(await complete('chat -m ', { SVC_PROFILE: 'work' })).toEqual(names);
  expect(await complete('--profile other chat -m ')).toEqual([]);
  expect(await complete('--profile work --base-url https://else.example chat -m ')).toEqual([]);
  expect(await complete('--profile ')).toEqual(['work', 'other']);
});

test('a command is offered the models that it can use, of those whose type is known', async () => {
  nameCache(paths, account).keep({ names: ['vendor/chat', 'vendor/new'] });
  listedCaches.model(paths, account).keep([
    ['vendor/chat', 'text · 1 in, 2 out RUB'],
    ['vendor/embed', 'embedding'],
    ['vendor/voice', 'audio · 3 RUB'],
    ['vendor/odd', '1 in RUB'],
  ]);
  const models = [{ id: 'vendor/painter', kind: 'image', title: 'Paints' }];
  capabilityCache(paths, account).keep({ models, fetchedAtMs: 0 });
  const offered = async (line: string) =>
    (await complete(`--profile work ${line} `)).map((one) => one.replace(/\t.*/, ''));
  const [chat, unknown] = ['vendor/chat', 'vendor/new'];
  expect(await offered('chat -m')).toEqual([chat, unknown, 'vendor/odd']);
  expect(await offered('image create -m')).toEqual([unknown, 'vendor/painter', 'vendor/odd']);
  expect(await offered('embed -m')).toEqual([unknown, 'vendor/embed', 'vendor/odd']);
  expect(await offered('speak -m')).toEqual([unknown, 'vendor/voice', 'vendor/odd']);
  expect(await offered('models show')).toHaveLength(6);
  const local = await complete('--local chat -m ');
  expect(local.map((one) => one.replace(/\t.*/, ''))).toEqual([
    ...['local/guide', 'local/echo', 'local/script'],
  ]);
  expect(await complete('--local image create -m ')).toEqual([
    expect.stringMatching(/^local\/canvas\timage/),
  ]);
});

test('what a list shows is offered from then on', async () => {
  const models = [{ id: 'vendor/chat', type: 'text', pricing: { prompt: 1, completion: 2 } }];
  const voices = [{ id: 'voice_1', name: 'narrator', status: 'active' }, { id: 'voice_2' }];
  const ticket = (id: string) => ({ id, status: 'open', subject: `About ${id}` });
  const { env, requests } = await fakeService(({ method, url }, response) => {
    response.setHeader('content-type', 'application/json');
    const answers: [string, unknown][] = [
      ['/v1/models', { data: models }],
      ['/api/media/voices/', { ok: true }],
      ['/api/media/voices', { ok: true, voices }],
      ['/tickets/ticket_3', { ticket: { ...ticket('ticket_3'), messages: [] } }],
      ['/tickets', { object: 'list', data: ['ticket_2', 'ticket_1'].map(ticket), hasMore: false }],
    ];
    const [, answer] = answers.find(([path]) => url.includes(path)) ?? [];
    response.end(JSON.stringify(method === 'DELETE' ? {} : answer));
  });
  const svc = (line: string) => run(line, { home, env });
  await svc('models list');
  expect(await complete('chat -m ', env)).toEqual(['vendor/chat\ttext · 1 in, 2 out RUB']);
  await svc('voices list');
  expect(await complete('speak --voice ', env)).toEqual(['voice_1\tnarrator · active', 'voice_2']);
  await svc('voices delete voice_1 --yes');
  expect(await complete('voices delete ', env)).toEqual(['voice_2']);
  await svc('tickets list');
  await svc('tickets show ticket_3');
  expect(await complete('tickets reply ', env)).toEqual(
    [3, 2, 1].map((n) => `ticket_${n}\topen · About ticket_${n}`),
  );
  const sent = requests.length;
  await complete('tickets close ', env);
  expect(requests).toHaveLength(sent);
});

test('jobs come newest first, at most 50, with @last before them', async () => {
  new StateDatabase(paths).transaction(() => {
    for (let id = 1; id <= 200; id += 1) addJob(id, { prompt: `wave ${id}` });
  });
  const jobs = await complete('--profile work jobs wait ');
  expect(jobs.slice(0, 2)).toEqual([
    '@last\tthe newest job',
    'job_200\twave 200 · running · 2 min ago · vendor/video',
  ]);
  expect(jobs.at(-1)).toContain('job_151\t');
  expect(await complete('--profile work jobs show job_199')).toHaveLength(1);
  expect(await complete('--profile other jobs show ')).toEqual([]);
});

test('the options of a media model come with their values', async () => {
  const local = await complete('--local generate local/reel --opt ');
  expect(local).toContain('seconds=\ta number from 1 to 60');
  expect(await complete('--local generate video --opt resolution=7')).toEqual(['resolution=720p']);
  const opts = { properties: { 'a b': { enum: ['$(id)', '`x`', 1] }, sound: { type: 'boolean' } } };
  const requestJsonSchema = { properties: { opts } };
  const models = [{ id: 'vendor/video', kind: 'video', title: 'Waves', requestJsonSchema }];
  capabilityCache(paths, account).keep({ models, fetchedAtMs: 0 });
  const svc = '--profile work generate';
  expect(await complete(`${svc} v`)).toEqual(['video', 'vendor/video\tvideo · Waves']);
  expect(await complete(`${svc} vendor/video --opt=so`)).toEqual(['--opt=sound=\ttrue or false']);
  expect(await complete(`${svc} vendor/video --opt sound=`)).toEqual(['sound=true', 'sound=false']);
  expect(await complete(`${svc} vendor/other --opt `)).toEqual([]);
});

test('names of a hostile service are left out where a shell could misread them', async () => {
  const odd = ['a b', '$(id)', "it's", '"q"'];
  const bad = ['-rf', ':file', 'x\ny', 'x\ty', '\u001b[2J', 'a\u202eb', 'x'.repeat(300)];
  nameCache(paths, account).keep({ names: [...bad, ...odd] });
  addJob(1, { prompt: 'one\ntwo\u001b[2J\u202e' });
  expect(await complete('--profile work chat -m ')).toEqual(odd);
  expect(await complete('--profile work jobs show j')).toEqual([
    'job_1\tone two [2J · running · 2 min ago · vendor/video',
  ]);
});

test('nothing is offered, said or created where something is missing or broken', async () => {
  const lines = ['jobs show ', 'chat -m ', 'voices delete ', 'generate x --opt ', '--profile '];
  const nothing = async () => {
    const before = readdirSync(home, { recursive: true });
    for (const line of lines) expect(await complete(line)).toEqual([]);
    expect(await complete('--profile gone --local jobs show ')).toEqual([]);
    expect(readdirSync(home, { recursive: true })).toEqual(before);
  };
  home = testFolder();
  await nothing();
  mkdirSync(join(home, 'data'));
  writeFileSync(join(home, 'data/state.db'), 'not a database'.repeat(1000));
  writeFileSync(join(home, 'config.json'), '{ broken');
  await nothing();
});

test('a database in use by another process is read without waiting', async () => {
  addJob(1);
  addJob(2);
  const holder = new Sql(new StateDatabase(paths).path);
  onTestFinished(() => holder.close());
  holder.exec('BEGIN EXCLUSIVE; DELETE FROM ledger');
  expect(await complete('--profile work jobs show job')).toHaveLength(2);
});

test('conversations, turns and templates are offered by name', async () => {
  const none = { generationId: null, priceRub: null, inputTokens: null, outputTokens: null };
  const turn: NewTurn = {
    ...{ ...none, ms: null, finishReason: null, isComplete: true, format: 'chat', parent: null },
    ...{
      account,
      atMs: nowMs - 60_000,
      model: 'vendor/chat',
      request: {},
      asked: [],
      answered: {},
    },
    ...{ question: 'how is\ntea made?', answer: 'a' },
  };
  new Log(paths).add({ ...turn, name: 'tax' });
  new Log(paths).add(turn);
  mkdirSync(join(home, 'templates'));
  for (const name of ['review.yaml', 'notes.txt']) writeFileSync(join(home, 'templates', name), '');
  const { lookUp } = await import('../../src/commands/completion/live.js');
  const machine = {
    env: { SVC_CONFIG_DIR: home, SVC_PROFILE: 'work' },
    clock: new ManualClock({ now: nowMs }),
  };
  const conversations = ['c2', 'tax'].map((name) => {
    return { name, summary: 'how is tea made? · 1 turn · 1 min ago' };
  });
  const nothing = { globals: {}, operands: [], path: [] };
  expect(await lookUp(machine, 'conversation', nothing, '')).toEqual(conversations);
  expect(await lookUp(machine, 'turn', nothing, '')).toEqual([
    { name: '2', summary: 'how is tea made? · c2 · 1 min ago' },
    { name: '1', summary: 'how is tea made? · tax · 1 min ago' },
    ...conversations,
  ]);
  expect(await lookUp(machine, 'template', nothing, '')).toEqual([{ name: 'review', summary: '' }]);
});
