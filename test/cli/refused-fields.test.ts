import { describe, expect, it } from 'vitest';
import { faultLines, refusalDetails } from '../../src/cli/exit.js';
import { chat } from '../../src/commands/chat/index.js';
import { generate } from '../../src/commands/generate/index.js';
import { create as createImage } from '../../src/commands/image/index.js';
import { create as createTicket } from '../../src/commands/tickets/index.js';
import { ApiError } from '../../src/errors.js';
import { fakeService, json } from '../helpers/fake-service.js';
import { run } from '../helpers/run.js';

const refused = (fields: Record<string, unknown>) => new ApiError('no', { status: 422, fields });

describe('the details of a refusal', () => {
  it('are all of its body that is not told otherwise', () => {
    const further = { violations: [{ a: 1 }], field: 'x', fields: ['x', 'y'], future: { b: [2] } };
    const told = { ok: false, code: 'c', message: 'm' };
    expect(refusalDetails(refused({ ...told, ...further }))).toEqual(further);
    const inner = { message: 'm', type: 't', code: 'c', param: null, ...further };
    expect(refusalDetails(refused({ error: inner, request_id: 'r' }))).toEqual(further);
    expect(refusalDetails(refused({ error: 'm', code: 'c', ...further }))).toEqual(further);
    expect(refusalDetails(refused(told))).toBeUndefined();
    expect(refusalDetails(new Error('x'))).toBeUndefined();
  });
});

describe('the faults that a refusal lists', () => {
  it.each([
    [{ field: 'opts.size', message: 'must be 1:1' }, 'opts.size: must be 1:1 (--opt size=…)'],
    [{ instancePath: '/opts/size', reason: 'no' }, 'opts.size: no (--opt size=…)'],
    [
      { field: 'opts.size', message: 'opts.size is not 1:1' },
      'opts.size is not 1:1 (--opt size=…)',
    ],
    [{ field: 'size', code: 'unsupported' }, 'size: unsupported (--opt size=…)'],
    [{ name: 'max_price_rub', message: 'too low' }, 'max_price_rub: too low (--max-price RUB)'],
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

it('are told by a command, in lines for people and whole for programs', async () => {
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

it('are none where they are nested too deeply to be written out again', async () => {
  const deep = `${'['.repeat(9000)}${']'.repeat(9000)}`;
  const body = `{"ok":false,"code":"x","message":"m","violations":${deep}}`;
  const service = await fakeService((_request, response) => response.writeHead(400).end(body));
  for (let times = 0; times < 5; times += 1) {
    const { code, stderr } = await run('chat -m m hi --json', { env: service.env });
    expect(code).toBe(3);
    expect(JSON.parse(stderr)).toMatchObject({ error: { exit: 3, status: 400 } });
  }
});
