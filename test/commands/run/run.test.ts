import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { isRecord, recordOf } from '../../../src/lib/json.js';
import { fakeKey, fakeService, json } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { fails, jsonOf, run } from '../../helpers/run.js';
import { program } from './scene.js';

const local = (options: readonly string[], words: readonly string[]) =>
  run(['--local', 'run', ...options, '--', ...words]);

describe('the program of svc run', () => {
  it('finds the proxy, a key of this run and the model, and never the key of the account', async () => {
    const service = await fakeService(json({}));
    const { seen, words } = program('return process.env');
    const env = {
      ...process.env,
      ...service.env,
      ...{ MY_COPY: `Bearer ${fakeKey}`, SVC_SESSION: 'a=b', SVC_LOCAL: '' },
      ...{ OPENAI_ORG_ID: 'org', ANTHROPIC_CUSTOM_HEADERS: 'a: b', NO_PROXY: 'intra.example' },
    };
    const line = ['run', '-m', 'vendor/a', '--env', 'MY_URL=url', '--env', 'MY_MODEL=model'];
    const { stderr } = await run([...line, ...words], { env });
    const own = recordOf(seen());
    const [root = ''] = /^http:\/\/127\.0\.0\.1:\d+/.exec(String(own['SVC_BASE_URL'])) ?? [];
    const key = String(own['SVC_API_KEY']);
    expect(key).toMatch(/^sk-run-[\da-f]{32}$/);
    expect(own).toMatchObject({
      ...{ OPENAI_BASE_URL: `${root}/v1`, OPENAI_API_BASE: `${root}/v1`, OPENAI_API_KEY: key },
      ...{ ANTHROPIC_BASE_URL: root, ANTHROPIC_API_KEY: key, ANTHROPIC_AUTH_TOKEN: key },
      ...{ OPENAI_MODEL: 'vendor/a', ANTHROPIC_MODEL: 'vendor/a' },
      ...{ MY_URL: `${root}/v1`, MY_MODEL: 'vendor/a' },
      ...{ NO_PROXY: 'intra.example,127.0.0.1,localhost,::1' },
    });
    expect(JSON.stringify(own)).not.toContain(fakeKey);
    const names = ['SVC_SESSION', 'SVC_LOCAL', 'OPENAI_ORG_ID', 'ANTHROPIC_CUSTOM_HEADERS'];
    expect(Object.keys(own).filter((name) => [...names, 'MY_COPY'].includes(name))).toEqual([]);
    expect(stderr.split('MY_COPY')).toHaveLength(2);
  });

  it('does not get the key of the account with --local either, where it is not in use', async () => {
    const { seen, words } = program('return Object.values(process.env)');
    const env = { PATH: process.env['PATH'], SVC_API_KEY: fakeKey, MY_COPY: fakeKey };
    const { stderr } = await run(['--local', 'run', ...words], { env });
    expect(JSON.stringify(seen())).not.toContain(fakeKey);
    expect(stderr).toContain('node does not get MY_COPY: the key of the account is in it');
  });

  it.each([0, 7])('gives svc its exit code %i', async (code) => {
    expect(await local([], ['sh', '-c', `exit ${code}`])).toMatchObject({ code, stdout: '' });
  });

  it('gives svc 128 and more for the signal that ends it', async () => {
    expect(await local([], ['sh', '-c', 'kill -TERM $$'])).toMatchObject({ code: 143 });
  });

  it('keeps its options, with and without -- before it', async () => {
    const { seen, words } = program('return process.argv.slice(1)');
    const own = ['--', '--max-cost', '1', '--help', '-q', '--', '--json'];
    await run(['--local', 'run', ...words, ...own]);
    expect(seen()).toEqual(own.slice(1));
    await local([], [...words, ...own]);
    expect(seen()).toEqual(own.slice(1));
  });

  it('is looked for before anything is asked of the service', async () => {
    expect(await local([], ['no-such-program'])).toMatchObject(
      fails(11, 'no-such-program cannot be run', 'command -v no-such-program'),
    );
    expect(await local([], ['./no such'])).toMatchObject(
      fails(11, 'cannot be run', "ls -ld './no such'"),
    );
  });

  it('gets no files or arguments of a recipe with --no-recipe', async () => {
    const shown = await jsonOf(run('--json run --print -m a/b --no-recipe -- codex exec'));
    expect(shown).toMatchObject({ words: ['codex', 'exec'], files: [] });
  });

  it('ends with --timeout, and svc says so', async () => {
    const { code, stderr } = await run([
      '--local',
      '--timeout',
      '50ms',
      'run',
      process.execPath,
      '-e',
      'setInterval(() => {}, 1e6)',
    ]);
    expect({ code, stderr }).toEqual({ code: 12, stderr: expect.stringContaining('--timeout') });
  });
});

describe('what svc run says at the end', () => {
  it('has the requests, their price and what is left of the ceiling, by model', async () => {
    const { words } = program('await ask({ max_tokens: 5 }); await ask({ max_tokens: 5 })');
    const { stderr, stdout } = await run(['--local', '--max-cost', '10', 'run', ...words]);
    expect(stdout).toBe('');
    expect(stderr).toMatch(
      /^svc run: node made 2 requests for 0\.00008 RUB; 10\.00 RUB left of --max-cost 10\.00 RUB\nMODEL +REQUESTS +IN +OUT +PRICE\nlocal\/echo +2 +2 +2 +0\.00008 RUB\n$/,
    );
    const line = ['--local', '--max-cost', '10', 'run', ...words];
    const russian = await run(line, { env: { SVC_LANG: 'ru' } });
    expect(russian.stderr).toContain(
      'for 0,00008\u00a0₽; 10,00\u00a0₽ left of --max-cost 10,00\u00a0₽\n',
    );
  });

  it('is written to the file of --report as JSON', async () => {
    const path = join(testFolder(), 'report.json');
    const { words } = program('await ask({ max_tokens: 5 }); process.exit(3)');
    const { code } = await run(['--local', '--max-cost', '1', 'run', '--report', path, ...words]);
    expect(code).toBe(3);
    const usage = { inputTokens: 1, outputTokens: 1 };
    const sum = { requests: 1, refused: 0, unpriced: 0, usage, cost: { priceRub: 0.00004 } };
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      ...{ program: 'node', exitCode: 3, ms: expect.any(Number), maxCostRub: 1 },
      ...sum,
      models: [{ model: 'local/echo', ...sum }],
    });
  });

  it('is refused before the program runs where it cannot be written', async () => {
    const { seen, words } = program('return 1');
    const report = async (path: string) => run(['--local', 'run', '--report', path, ...words]);
    // Its part file has a name that is too long.
    expect(await report(join(testFolder(), 'r'.repeat(252)))).toMatchObject(
      fails(11, 'cannot write'),
    );
    expect(await report('-')).toMatchObject(
      fails(2, 'stdout belongs to the program', '--report FILE'),
    );
    expect(seen).toThrow('no such file');
  });

  it('says why where no request passed, and nothing with --quiet', async () => {
    const { stderr } = await local([], ['true']);
    expect(stderr).toContain('true made no request through svc');
    expect(stderr).toContain('svc --local run --print -- true');
    expect(await run('-q --local run true')).toEqual(expect.objectContaining({ stderr: '' }));
  });
});

describe('a ceiling', () => {
  it('is told to the program, which goes on', async () => {
    const refused = program('return ask({ max_tokens: 5 })');
    const { code, stderr } = await run(['--local', '--max-cost', '0', 'run', ...refused.words]);
    const message: unknown = expect.stringContaining('more than --max-cost 0.00 RUB');
    expect(refused.seen()).toEqual({ status: 402, message });
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('1 request, which was not sent'),
    });
  });

  it('ends the program with --stop', async () => {
    const { words } = program(
      'await ask({ max_tokens: 5 }); await new Promise(() => setInterval(() => {}, 1e6))',
    );
    const { code, stderr } = await run(['--local', '--max-cost', '0', 'run', '--stop', ...words]);
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: expect.stringMatching(
        /error: node was stopped: .*--max-cost[^]*hint: raise --max-cost\n$/,
      ),
    });
  });
});

describe('the log of svc run', () => {
  it('has the turns with the program, its price and its tokens, which svc chat continues', async () => {
    const home = testFolder();
    await run(['--local', 'run', ...program('return ask()').words], { home });
    const turn = { program: 'node', question: 'hi', answer: 'hi', complete: true };
    const counts = {
      cost: { priceRub: expect.any(Number) },
      usage: { inputTokens: expect.any(Number) },
    };
    expect(await jsonOf(run('logs --json', { home }))).toMatchObject([{ ...turn, ...counts }]);
    expect((await run('--local chat -c more', { home })).code).toBe(2);
    const { stdout } = await run('--local chat --conversation c1 --dry-run more', { home });
    expect(JSON.parse(stdout)).toMatchObject({ body: { messages: [{}, {}, { content: 'more' }] } });
  });

  it.each([
    ['--no-log', ['--no-log'], {}],
    ['SVC_LOG=off', [], { SVC_LOG: 'off' }],
  ])('has none with %s', async (_, options, env) => {
    const home = testFolder();
    await run(['--local', 'run', ...options, ...program('return ask()').words], { home, env });
    expect(await jsonOf(run('logs --json', { home }))).toEqual([]);
  });
});

describe('a tape', () => {
  it('is recorded once and replayed without a key, a price or a turn in the log', async () => {
    const [tape, home] = [join(testFolder(), 'asked.tape'), testFolder()];
    const recorded = program('return ask({ max_tokens: 5 })');
    const replayed = program('return ask({ max_tokens: 5 })');
    await run(['--local', 'run', '--record', tape, ...recorded.words], { home });
    const line = ['--max-cost', '0', 'run', '--replay', tape, ...replayed.words];
    const { code, stderr } = await run(line, { home });
    expect(replayed.seen()).toEqual(recorded.seen());
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('0.00 RUB'),
    });
    expect(await jsonOf(run('logs --json', { home }))).toHaveLength(1);
  });

  it('that lacks a request ends svc with 3, after the program was told', async () => {
    const tape = join(testFolder(), 'asked.tape');
    await run(['--local', 'run', '--record', tape, ...program('return ask()').words]);
    const other = program("return ask({ model: 'local/guide' })");
    const missed = run(['run', '--replay', tape, ...other.words]);
    expect(await missed).toMatchObject(
      fails(3, 'differs in $.model: recorded "local/echo", asked "local/guide"', 'first line'),
    );
    expect(other.seen()).toMatchObject({ status: 404 });
    const env = { PATH: process.env['PATH'], SVC_TAPE: tape };
    const byVariable = await run(['run', ...other.words], { env });
    expect(byVariable.code).toBe(3);
    // Nothing was sent for it, and it is said once.
    expect(byVariable.stderr).toContain('1 request, which was not sent');
    expect(byVariable.stderr.match(/is not on the tape/g)).toHaveLength(1);
  });
});

describe('svc run --print', () => {
  it('shows what would be run as lines of a shell, without a key or a service', async () => {
    const { stderr, stdout } = await run('run --print -m a/b -- codex exec "a b"');
    expect(stderr).toBe('');
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toContain("export OPENAI_API_KEY='sk-run-…'");
    expect(lines).toContain('export OPENAI_BASE_URL=http://127.0.0.1:PORT/v1');
    expect(lines.at(-2)).toMatch(/^# The recipe was verified by running codex \d/);
    expect(lines.at(-1)).toMatch(/^codex -c .*model_provider.* exec 'a b'$/);
  });

  it('shows the same as JSON, and under --dry-run', async () => {
    const [printed, dry] = await Promise.all([
      jsonOf(run('--json run --print -m a/b -- codex')),
      jsonOf(run('--json --dry-run run -m a/b -- codex')),
    ]);
    expect(dry).toEqual(printed);
    expect(printed).toMatchObject({ files: [{ path: expect.any(String) }] });
    expect(isRecord(printed) && Object.keys(printed)).toEqual([
      'words',
      'variables',
      'unset',
      'files',
    ]);
  });

  it('runs nothing', async () => {
    const file = join(testFolder(), 'ran');
    await run(['run', '--print', '--', 'touch', file]);
    expect(existsSync(file)).toBe(false);
  });
});

test.each([
  ['--json run true', '--json needs --print', '--report FILE'],
  ['run --model-map gpt true', '--model-map: "gpt" is not a rule'],
  ['run --model-map a=b,*= true', '--model-map: "*=" is not a rule'],
  ['run --env MY-URL=url true', '--env "MY-URL=url" is not NAME=url'],
  ['run --env A=model true', '--env "A=model" needs -m MODEL'],
  ['run ""', 'the name of the program is empty'],
  ['run', 'missing argument <program>'],
  ['run --fast true', 'unknown option --fast'],
])('svc %s is refused', async (line, ...why) => {
  expect(await run(line)).toMatchObject(fails(2, ...why));
});
