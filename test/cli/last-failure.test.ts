import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandWords, rememberFailure } from '../../src/cli/last-failure.js';
import { route } from '../../src/cli/route.js';
import { entries } from '../../src/commands/index.js';
import { ApiError, Interrupted, OutcomeUnknown } from '../../src/errors.js';
import { systemClock } from '../../src/lib/clock.js';
import { fakeKey, fakeService, json } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { run, words } from '../helpers/run.js';

const now = Date.UTC(2026, 10, 30, 12);

function failing() {
  const home = testFolder();
  const path = join(home, 'data', 'last-failure.json');
  const svc = (line: string, env: Readonly<Record<string, string>> = {}) =>
    run(line, { home, env, clock: new ManualClock({ now }) });
  const stored = (): unknown => JSON.parse(readFileSync(path, 'utf8'));
  const remember = (argv: readonly string[], error: Error) => {
    const env = { SVC_CONFIG_DIR: home };
    rememberFailure({ argv, env, version: '1', clock: systemClock }, undefined, error);
  };
  return { home, path, svc, stored, remember };
}

describe('the last command that failed', () => {
  test('is kept with what support can use, for the owner alone', async () => {
    const { path, svc, stored } = failing();
    const ids = { 'x-svc-request-id': 'req_1', 'x-svc-generation-id': 'gen_1' };
    const refusal = { error: { message: 'overloaded; you said: my secret prompt', code: 'busy' } };
    const { env } = await fakeService(json(refusal, 501, ids));
    expect(await svc('chat -m vendor/model "my secret prompt"', env)).toMatchObject({ code: 3 });
    expect(stored()).toEqual({
      atMs: now,
      command: 'svc chat -m vendor/model …',
      exit: 3,
      status: 501,
      code: 'busy',
      requestIds: ['req_1', 'gen_1'],
      svc: '0.0.0-test',
      node: process.version,
      system: `${process.platform} ${process.arch}`,
      account: { profile: 'default', service: env.SVC_BASE_URL, keyHash: expect.any(String) },
    });
    const text = readFileSync(path, 'utf8');
    expect(text).not.toContain('secret');
    expect(text).not.toContain(fakeKey);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  const ids = { requestId: 'my secret', generationId: 'req_1' };

  test.each([
    ['a code that is no word', { serviceCode: 'hunter22' }, {}],
    ['the words of the service', { serviceCode: 'http_502' }, { code: 'http_502' }],
    ['an id that is no word', { requestIds: ids }, { requestIds: ['req_1'] }],
  ])('is kept without %s', (_, details, facts) => {
    const { remember, path, stored } = failing();
    const error = new ApiError('hunter22, my secret', { status: 400, ...details });
    remember(['api', 'POST', '/v1/x', '-f', 'field=hunter22'], error);
    expect(stored()).toMatchObject({ command: 'svc api -f … …', ...facts });
    expect(readFileSync(path, 'utf8')).not.toMatch(/hunter|secret/);
  });

  test.each([
    ['a command that succeeds', '--local balance'],
    ['help', '--help'],
    ['a report that fails itself', 'tickets create --subject x --message y'],
    ['a dry run', '--local chat hi --dry-run'],
  ])('is not %s', async (_, line) => {
    const { path, svc } = failing();
    await svc(line);
    expect(existsSync(path)).toBe(false);
  });

  test('is not one that the user interrupted', async () => {
    const { home, path } = failing();
    const interrupt = new AbortController();
    const { env } = await fakeService(() => interrupt.abort(new Interrupted('SIGINT')));
    expect((await run('chat -m a/b hi', { home, env, signal: interrupt.signal })).code).toBe(130);
    expect(existsSync(path)).toBe(false);
  });

  test('changes nothing where it cannot be kept', async () => {
    const { home, svc } = failing();
    writeFileSync(join(home, 'data'), 'no folder');
    expect(await svc('chat -m a/b hi')).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringMatching(/^error: no base URL is known\nhint: .*\n$/),
    });
  });

  test('has the request ids of the answer behind it', () => {
    const { remember, stored } = failing();
    const answer = new ApiError('busy', { status: 503, requestIds: { requestId: 'req_9' } });
    const error = new OutcomeUnknown('no answer', { serviceCode: 'busy', cause: answer });
    remember(['balance'], error);
    expect(stored()).toMatchObject({ exit: 10, status: 503, code: 'busy', requestIds: ['req_9'] });
  });
});

test.each([
  ['chat one two three', 'svc chat …'],
  ['--local chat --top-p 0.5 --no-stream hi', 'svc chat --local --top-p 0.5 --no-stream …'],
  ['chat -mvendor/model -qv hi', 'svc chat -m vendor/model -q -v …'],
  ['chat --model=a/b --system="be nice" hi', 'svc chat --model a/b --system … …'],
  ['chat -s "be nice" -a /home/me/secret.png hi', 'svc chat -s … -a … …'],
  ['chat -m sk-svc-0123456789 hi', 'svc chat -m … …'],
  ['generate vendor/video:fast "my secret" -o x', 'svc generate vendor/video:fast -o … …'],
  ['generate -m a/b "my secret" ', 'svc generate a/b -m a/b …'],
  ['generate "a/b is my secret"', 'svc generate …'],
  ['chat and/or', 'svc chat …'],
  ['chat --format messages hi', 'svc chat --format messages …'],
  ['chat --max-tokens twelve hi', 'svc chat --max-tokens … …'],
  ['chat --timeout 30s -- --my-prompt', 'svc chat --timeout 30s …'],
  ['chat --timeout', 'svc chat --timeout'],
  ['chat --sk-svc-0123456789 hi', 'svc chat …'],
  ['chat -Z hi', 'svc chat …'],
  ['--base-url https://u:p@h --profile w balance', 'svc balance --base-url … --profile …'],
  ['api POST /v1/x -f name=value -H "authorization: Bearer abc"', 'svc api -f … -H … …'],
  ['jobs', 'svc jobs'],
  ['nonsense words', 'svc …'],
  ['', 'svc'],
])('of the command line %j is kept %j', (line, expected) => {
  expect(commandWords(route(words(line), entries))).toBe(expected);
});
