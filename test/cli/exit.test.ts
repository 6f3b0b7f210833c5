import { describe, expect, it, test } from 'vitest';
import { faultLines, refusalDetails, writeError } from '../../src/cli/exit.js';
import { exits } from '../../src/exit-codes.js';
import { chat } from '../../src/commands/chat/index.js';
import { generate } from '../../src/commands/generate/index.js';
import { create as createImage } from '../../src/commands/image/index.js';
import { create as createTicket } from '../../src/commands/tickets/index.js';
import { ApiError, exitCodeOf, UsageError } from '../../src/errors.js';
import { fakeService, json } from '../helpers/fake-service.js';
import { run } from '../helpers/run.js';
import { liveIn, stage } from '../terminal/screens.js';

test('the codes are those that scripts rely on', () => {
  const codes = Object.values(exits).map(([code]) => code);
  expect(codes).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 130, 141, 143]);
});

const dear = { serviceCode: 'media_max_price_exceeded' };
const unknown = { outcomeUnknown: true };

test.each<
  [code: number, statuses: number[], more?: { serviceCode?: string; outcomeUnknown?: boolean }]
>([
  [3, [400, 404, 405, 406, 409, 410, 413, 414, 415, 418, 422, 451, 501]],
  [3, [301, 302, 303, 307, 308]],
  [4, [401, 403]],
  [5, [402]],
  [6, [408, 500, 502, 503, 504, 520, 529, 599]],
  [7, [429]],
  [10, [408, 500, 502, 503, 504, 520], unknown],
  [10, [408, 500, 502, 503, 504, 520], { ...unknown, ...dear }],
  // A gateway may say this of a call that was carried out.
  [10, [301, 400, 401, 402, 403, 404, 429], unknown],
  [5, [400, 409, 422], dear],
  [3, [422], { serviceCode: 'strict_validation_failed' }],
])('exit code %i follows an answer with the status %j, %j', (code, statuses, more) => {
  for (const status of statuses) {
    expect([status, exitCodeOf(new ApiError('x', { status, ...more }))]).toEqual([status, code]);
  }
});

/** The report of an error on a pipe. */
async function reportOf(
  error: unknown,
  options: { json?: boolean; debug?: boolean; tty?: boolean } = {},
) {
  const { out, stdout, stderr } = stage({ tty: options.tty ?? false });
  const { json = false, debug = false } = options;
  await writeError(error, out, { json, debug, commandHint: (words) => words });
  expect(stdout.text).toBe('');
  return stderr.text;
}

const refusal = new ApiError('no such model: sk-svc-abc', {
  status: 404,
  serviceCode: 'model_not_found',
  hint: 'svc models list',
  requestIds: { requestId: 'req_1', generationId: 'gen_1' },
});

describe('for people an error', () => {
  test('is one line, its hint another, and the id for support a third', async () => {
    expect(await reportOf(refusal)).toBe(
      'error: no such model: [key]\nhint: svc models list\nrequest id: req_1\n',
    );
  });

  test('that svc does not understand is called a bug, without its stack', async () => {
    const text = await reportOf(new TypeError('x is undefined: Bearer abc123'));
    expect(text).toBe(
      'error: this is a bug in svc: x is undefined: Bearer [key]\n' +
        'hint: run it again with SVC_DEBUG=1 and report what it prints\n',
    );
    expect(await reportOf('just text')).toContain('this is a bug in svc: just text\n');
  });

  test('shows its origin when debugging, with all its causes and no secret', async () => {
    const root = new Error('root sk-svc-abc');
    const middle = new Error('middle', { cause: root });
    const text = await reportOf(new UsageError('no', { cause: middle }), { debug: true });
    expect(text).toMatch(/^error: no\n(hint: .*\n)?UsageError: no\n {4}at /);
    expect(text).toMatch(/\ncaused by: Error: middle\n {4}at /);
    expect(text).toMatch(/\ncaused by: Error: root \[key\]\n {4}at /);
    expect(await reportOf(new UsageError('no'))).not.toContain(' at ');
  });
});

describe('for programs an error', () => {
  const parse = (text: string): unknown => JSON.parse(text);

  test('is one JSON object on one line', async () => {
    const text = await reportOf(refusal, { json: true });
    expect(text.indexOf('\n')).toBe(text.length - 1);
    expect(parse(text)).toEqual({
      error: {
        exit: 3,
        code: 'model_not_found',
        status: 404,
        message: 'no such model: [key]',
        hint: 'svc models list',
        requestId: 'req_1',
      },
    });
  });

  test('is the same value on a terminal, and harmless', async () => {
    const message = 'bad \u001b[2J\u009b31m \u202ename\nhint: evil';
    const text = await reportOf(new UsageError(message), { json: true, tty: true });
    expect(liveIn(text)).toEqual([]);
    expect(parse(text)).toEqual({ error: { exit: 2, code: 'usage', message } });
  });
});

const refused = (fields: Record<string, unknown>) => new ApiError('no', { status: 422, fields });

it('the details of a refusal are all fields of its body that are not reported otherwise', () => {
  const further = { violations: [{ a: 1 }], field: 'x', fields: ['x', 'y'], future: { b: [2] } };
  const body = { ok: false, code: 'c', message: 'm' };
  expect(refusalDetails(refused({ ...body, ...further }))).toEqual(further);
  const inner = { message: 'm', type: 't', code: 'c', param: null, ...further };
  expect(refusalDetails(refused({ error: inner, request_id: 'r' }))).toEqual(further);
  expect(refusalDetails(refused({ error: 'm', code: 'c', ...further }))).toEqual(further);
  const details = { status: 404, cause: refused({ ...body, ...further }) };
  expect(refusalDetails(new ApiError('there is no such ticket', details))).toEqual(further);
  expect(refusalDetails(refused(body))).toBeUndefined();
  expect(refusalDetails(new Error('x'))).toBeUndefined();
});

describe('the violations that a refusal lists', () => {
  it.each([
    [{ field: 'opts.size', message: 'must be 1:1' }, 'opts.size: must be 1:1 (--opt size=…)'],
    [{ instancePath: '/opts/size', reason: 'no' }, 'opts.size: no (--opt size=…)'],
    [
      { field: 'opts.size', message: 'opts.size is not 1:1' },
      'opts.size is not 1:1 (--opt size=…)',
    ],
    [{ field: 'size', code: 'unsupported' }, 'size: unsupported (--opt size=…)'],
    [{ name: 'max_price_rub', message: 'too low' }, 'max_price_rub: too low (--max-cost RUB)'],
    [{ field: 'prompt', message: 'is missing' }, 'prompt: is missing'],
    ['opts.size: must be 1:1', 'opts.size: must be 1:1 (--opt size=…)'],
    [{ anything: 1 }, '{"anything":1}'],
    [5, '5'],
  ])('%j is a line with the flag that changes it', (violation, line) => {
    expect(faultLines({ violations: [violation] }, generate)).toEqual([line]);
  });

  it('name the flags of any command', () => {
    expect(faultLines({ field: 'n' }, createImage)).toEqual(['n (--count N)']);
    expect(faultLines({ field: 'requestIds' }, createTicket)).toEqual([
      'requestIds (--request-id ID)',
    ]);
    expect(faultLines({ fields: ['max_tokens', 'messages[0].content'] }, chat)).toEqual([
      'max_tokens (--max-tokens N)',
      'messages[0].content',
    ]);
  });
});

it('are reported by a command, as lines for people and unchanged for programs', async () => {
  const violations = [{ field: 'size', message: 'must be 1:1' }, { deep: [[[{ a: 1 }]]] }];
  const body = { error: { message: 'It does not fit', code: 'strict', violations } };
  const service = await fakeService(json(body, 400));
  const line = 'image create -m vendor/canvas x --size 2x1';
  const people = await run(line, { env: service.env });
  expect(people.code).toBe(3);
  expect(people.stderr).toBe(
    'error: It does not fit\n  size: must be 1:1 (--size WxH)\n  {"deep":[[[{"a":1}]]]}\n',
  );
  const programs = await run(`${line} --json`, { env: service.env });
  expect(JSON.parse(programs.stderr)).toMatchObject({
    error: { exit: 3, code: 'strict', message: 'It does not fit', details: { violations } },
  });
});

it('are left out where they are nested too deeply to be written again', async () => {
  const deep = `${'['.repeat(9000)}${']'.repeat(9000)}`;
  const body = `{"ok":false,"code":"x","message":"m","violations":${deep}}`;
  const service = await fakeService((_request, response) => response.writeHead(400).end(body));
  for (let times = 0; times < 5; times += 1) {
    const { code, stderr } = await run('chat -m m hi --json', { env: service.env });
    expect(code).toBe(10);
    expect(JSON.parse(stderr)).toMatchObject({ error: { exit: 10, status: 400 } });
  }
});
