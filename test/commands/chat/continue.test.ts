import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Interrupted } from '../../../src/errors.js';
import { Log } from '../../../src/state/log.js';
import { Sql } from '../../../src/lib/sql.js';
import { pathsFrom } from '../../../src/state/paths.js';
import { chunks, chunksEnd, fakeService, json, type Answer } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { PollingClock } from '../../helpers/manual-clock.js';
import { fails, run, type RunOptions, words } from '../../helpers/run.js';
import { eventLoopTurns, requestOf } from './scene.js';

const logIn = (home: string) => new Log(pathsFrom({ SVC_CONFIG_DIR: home }));
const echo = 'local/echo';

/** Runs lines with the embedded service in one home. */
function local(home = testFolder()) {
  const svc = (line: string, options: RunOptions = {}) =>
    run(`--local chat ${line}`, { home, ...options });
  const body = async (line: string) => (await requestOf(words(line), { home })).body;
  return { home, svc, body };
}

// The other formats: continued-formats.test.ts.
it('chat -c sends what was said before, with the same model and system prompt, unless it chooses', async () => {
  const { svc, body } = local();
  await svc(`-m ${echo} -s "Be brief." one`);
  expect(await svc('-c two')).toMatchObject({ code: 0, stdout: 'two\n', stderr: '' });
  const said = ['one', 'two'].flatMap((content) =>
    ['user', 'assistant'].map((role) => ({ role, content })),
  );
  const messages = [...said, { role: 'user', content: 'three' }];
  const system = { role: 'system', content: 'Be brief.' };
  expect(await body('-c three')).toMatchObject({ model: echo, messages: [system, ...messages] });
  const asMessages = await body('-c --format messages three');
  const blocks = messages.map(({ role, content }) =>
    role === 'user' ? { role, content } : { role, content: [{ type: 'text', text: content }] },
  );
  expect(asMessages).toMatchObject({ model: echo, system: 'Be brief.', messages: blocks });
  const asResponses = await body('-c --format responses three');
  expect(asResponses).toMatchObject({ model: echo, input: [system, ...messages] });
  const changed = await body('-c -m other -s "Be long." three');
  const other = { role: 'system', content: 'Be long.' };
  expect(changed).toMatchObject({ model: 'other', messages: [other, ...messages] });
});

it('chat -c takes its prompt from a pipe', async () => {
  const { svc, home } = local();
  await svc(`-m ${echo} one`);
  expect(await svc('-c', { stdin: 'two\n' })).toMatchObject({ stdout: 'two\n' });
  const [turn] = logIn(home).turns({}, 1);
  expect(turn).toMatchObject({ id: 2, parent: 1, conversation: 1, isComplete: 1 });
});

it('chat -c continues the last conversation of this service, which may have a name', async () => {
  const { svc, body, home } = local();
  await svc(`-m ${echo} --conversation tea one`);
  await svc(`-m ${echo} two`);
  expect(JSON.stringify(await body('--conversation tea x'))).toContain('"one"');
  expect(JSON.stringify(await body('-c x'))).toContain('"two"');
  expect(JSON.stringify(await body('--conversation c1 x'))).toContain('"one"');
  const service = await fakeService(json({}));
  const other = await run('chat -m m -c hi', { home, env: service.env });
  expect(other).toMatchObject({ code: 2, stdout: '' });
  expect(other.stderr).toBe(
    'error: there is no conversation to continue\nhint: to start one: svc chat "your question"\n',
  );
  expect(service.requests).toEqual([]);
});

it('a conversation has a name of words in any language, however its letters are written', async () => {
  const { svc, home } = local();
  const name = 'My plan: été';
  const typed = name.normalize('NFD');
  await svc(`-m ${echo} --conversation ' ${typed} ' one`);
  expect(logIn(home).conversation(name)?.name).toBe(name);
  await svc(`--conversation '${typed}' two`);
  expect(logIn(home).conversations(9)).toMatchObject([{ name, turns: 2 }]);
  const at = { home };
  expect((await run(['logs', 'show', 'My  plan: été'], at)).stdout).toContain('one');
  const renamed = await run(['logs', 'rename', name, 'Чай 2 🍵'], at);
  expect(renamed).toMatchObject({ code: 0, stderr: 'c1 is now Чай 2 🍵\n' });
  const branched = await run(['logs', 'branch', 'Чай 2 🍵', "it's"], at);
  expect(branched.stderr).toContain(`svc chat --conversation 'it'\\''s'\n`);
});

it.each([
  ['--conversation c9 x', 'there is no conversation c9'],
  ['--conversation @last x', '--conversation: a name starts with a letter or digit'],
  ['--conversation "" x', '--conversation needs a name'],
  ['-c', 'the prompt is empty'],
])('chat -c is refused: %s', async (line, words) => {
  const { svc } = local();
  await svc(`-m ${echo} one`);
  expect(await svc(line)).toMatchObject(fails(2, words));
});

it('chat -c shows its place in the log with --json and --events', async () => {
  const { svc, home } = local();
  expect(JSON.parse((await svc(`-m ${echo} --json one`)).stdout)).not.toHaveProperty('turn');
  const [first] = logIn(home).turns({});
  expect(first).toMatchObject({ finishReason: 'stop', service: 'local:', format: 'chat' });
  for (const known of [first?.priceRub, first?.inputTokens]) expect(known).toBeGreaterThan(0);
  const place = { conversation: 'c1', turn: 2 };
  expect(JSON.parse((await svc('-c --json two')).stdout)).toMatchObject(place);
  const lines = (await svc('--conversation tea --events three')).stdout.trim().split('\n');
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ conversation: 'tea', turn: 3 });
});

it('chat -c keeps both branches when two processes continue one conversation', async () => {
  const { svc, home, body } = local();
  await svc(`-m ${echo} one`);
  await Promise.all([svc('-c two'), svc('-c three')]);
  const [last, other] = logIn(home).turns({});
  expect([last?.parent, other?.parent]).toEqual([1, 1]);
  expect(logIn(home).conversation('c1')).toMatchObject({ head: last?.id, turns: 3 });
  expect((await body('-c x'))['messages']).toHaveLength(5);
});

it('the log is not written where nobody wants it', async () => {
  const { svc, home } = local();
  await svc(`-m ${echo} one`);
  await run('config set log off', { home });
  const service = await fakeService(json({ choices: [{ message: { content: 'x' } }] }));
  await run('chat -m m hi', { home, env: service.env });
  await svc(`-m ${echo} --no-log two`);
  await svc(`-m ${echo} two`, { env: { SVC_LOG: 'off' } });
  await svc(`-m ${echo} --count-tokens -c two`);
  await svc('--dry-run -c two');
  await svc('-c --curl two');
  expect(logIn(home).turns({})).toHaveLength(1);
  expect((await svc('-c two', { env: { SVC_LOG: 'maybe' } })).stderr).toContain(
    'SVC_LOG: the log must be on or off',
  );
});

const stream = (text: string, status = 200): Answer => {
  return ({ method }, response) => {
    response
      .writeHead(method === 'POST' ? status : 404, { 'x-svc-generation-id': 'gen_1' })
      .end(text);
  };
};

it('the log has truncated and interrupted turns, but none without an answer', async () => {
  const home = testFolder();
  const ask = async (answer: Answer, signal?: AbortSignal) => {
    const { env } = await fakeService(answer);
    return run('chat -m m hi', { home, env, signal });
  };
  await ask(stream('{"error":{"message":"no"}}', 404));
  await ask(stream(chunks('Hel', 'lo')));
  const stop = new AbortController();
  await ask((_, response) => {
    response.writeHead(200).write(chunks('Stop'));
    void eventLoopTurns().then(() => stop.abort(new Interrupted('SIGINT')));
  }, stop.signal);
  await ask(stream(chunks('Whole') + chunksEnd));
  const logged = logIn(home).turns({}).reverse();
  const kept = logged.map(({ answered, isComplete, generationId }) => [
    answered && JSON.stringify(logIn(home).content(answered)),
    isComplete,
    generationId,
  ]);
  const text = (words: string): unknown => expect.stringContaining(`"${words}"`);
  expect(kept).toEqual([
    [text('Hello'), 0, 'gen_1'],
    [text('Stop'), 0, null],
    [text('Whole'), 1, 'gen_1'],
  ]);
  expect(logged.map(({ priceRub }) => priceRub)).toEqual([null, null, null]);
});

it.each([
  ['has no folder', 'part of the path is not a folder', ''],
  ['was written by a newer svc', 'was written by a newer svc', 'PRAGMA user_version = 99'],
  ['is locked', 'another svc is using it', 'BEGIN IMMEDIATE'],
])('the log that %s costs one warning', async (_, why, sql) => {
  const home = testFolder();
  const data = join(home, 'data');
  const service = await fakeService(stream(chunks('Whole') + chunksEnd));
  if (sql === '') writeFileSync(data, '');
  else {
    mkdirSync(data);
    if (sql.startsWith('BEGIN')) await local(home).svc(`-m ${echo} one`);
    const another = new Sql(join(data, 'state.db'));
    another.exec(sql);
    onTestFinished(() => another.close());
  }
  const options = { home, env: service.env, clock: new PollingClock() };
  const { code, stdout, stderr } = await run('chat -m m hi', options);
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'Whole\n' });
  expect(stderr).toMatch(/^warning: the conversation could not be logged: [^\n]+\n$/);
  expect(stderr).toContain(why);
});

it('a turn is logged once other processes have logged theirs', async () => {
  const { home, svc } = local();
  await svc(`-m ${echo} one`);
  const another = new Sql(join(home, 'data', 'state.db'));
  onTestFinished(() => another.close());
  another.exec('BEGIN IMMEDIATE');
  const clock = new PollingClock();
  const sleep = clock.sleep.bind(clock);
  clock.sleep = (ms, signal) => {
    if (clock.sleeps.length === 20) another.exec('COMMIT');
    return sleep(ms, signal);
  };
  expect(await svc('-c two', { clock })).toMatchObject({ code: 0, stdout: 'two\n', stderr: '' });
  expect(logIn(home).turns({})).toHaveLength(2);
});

it('the log is complete only if it has all of an answer, which is shown all the same', async () => {
  const home = testFolder();
  const long = 'word '.repeat(100_000);
  const service = await fakeService(stream(chunks(long, long, long, long, long) + chunksEnd));
  const { code, stdout } = await run('chat -m m hi', { home, env: service.env });
  expect([code, stdout.length]).toEqual([0, 5 * long.length + 1]);
  const [turn] = logIn(home).turns({});
  expect(turn).toMatchObject({ isComplete: 0, finishReason: 'stop' });
});
