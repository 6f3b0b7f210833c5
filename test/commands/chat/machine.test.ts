import { describe, expect, it } from 'vitest';
import { chunks, chunksEnd, events, fakeService, json } from '../../helpers/fake-service.js';
import { localScript } from '../../helpers/local-script.js';
import { jsonOf, run } from '../../helpers/run.js';

interface Event {
  readonly [field: string]: unknown;
  readonly type: string;
}

/** The events of --events; every line must be one. */
function eventsIn(stdout: string): readonly Event[] {
  expect(stdout.endsWith('\n')).toBe(true);
  const lines = stdout.slice(0, -1).split('\n');
  return lines.map((line) => {
    const event: Event = JSON.parse(line);
    return event;
  });
}

/** The texts of one type, put together. */
const textOf = (all: readonly Event[], type: string) =>
  all.flatMap((event) => (event.type === type ? String(event['text']) : [])).join('');

const text = (pattern: RegExp): unknown => expect.stringMatching(pattern);

describe.each([
  ['chat', '--reasoning-effort low'],
  ['messages', '--thinking-budget 100'],
  ['responses', '--reasoning-effort low --reasoning-summary auto'],
])('for a program, in %s,', (format, options) => {
  const line = `--local chat -m local/script --format ${format} ${options}`;
  const call = { name: 'now', arguments: { tz: 'UTC' } };
  const rule = { reasoning: 'Think. Then say.', reply: 'It is late.', toolCall: call };
  const whole = {
    id: text(/^\w/),
    model: 'local/script',
    text: rule.reply,
    reasoning: rule.reasoning,
    toolCalls: [{ id: text(/^\w/), ...call }],
    finishReason: text(/./),
    complete: true,
    usage: expect.objectContaining({ inputTokens: 1, outputTokens: 11 }) as unknown,
    cost: { priceRub: 0.0045, balanceRub: 999.9955 },
    ids: { requestId: text(/^req_/), generationId: text(/^gen_/) },
    ...(format === 'messages' && { raw: { usage: { cache_creation_input_tokens: 0 } } }),
  };

  it.each(['', '--no-stream', '--no-reasoning'])(
    '--json is one object, on a terminal as well, and stderr is silent %s',
    async (more) => {
      const env = { ...localScript(rule), NO_COLOR: '1' };
      for (const tty of [false, true]) {
        const result = await run(`${line} ${more} --json late`, { env, tty });
        expect(result).toMatchObject({ code: 0, stderr: '' });
        expect(result.stdout).toMatch(/^\{\n[^]*\n\}\n$/);
        expect(JSON.parse(result.stdout)).toEqual(whole);
      }
    },
  );

  it('--events reports each as it happens, and the whole at the end', async () => {
    const result = await run(`${line} --events late`, { env: localScript(rule) });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    const all = eventsIn(result.stdout);
    expect(textOf(all, 'reasoning')).toBe(rule.reasoning);
    expect(textOf(all, 'text')).toBe(rule.reply);
    expect(all.at(-1)).toEqual({ type: 'done', ...whole });
    const types = all.slice(0, -1).map(({ type }) => type);
    expect(new Set(types)).toEqual(new Set(['reasoning', 'text', 'tool_call', 'usage', 'finish']));
    expect(types.lastIndexOf('reasoning')).toBeLessThan(types.indexOf('text'));
    const pieces = all.filter(({ type }) => type === 'tool_call');
    const index: unknown = expect.any(Number);
    expect(pieces[0]).toMatchObject({ index, id: whole.toolCalls[0]?.id, name: 'now' });
    expect(pieces.map((piece) => piece['arguments']).join('')).toBe('{"tz":"UTC"}');
  });

  it.each(['drop', 'end'])('a stream that is cut (%s) is incomplete', async (cut) => {
    const env = localScript({ reply: 'one two', cut });
    const error = { code: text(/^stream_/), message: text(/./) };
    const partial = { text: 'one two', complete: false, error };
    const asJson = await run(`${line} --json x`, { env });
    expect(asJson.code).toBe(12);
    expect(JSON.parse(asJson.stdout)).toMatchObject(partial);
    const hint = text(/./);
    expect(JSON.parse(asJson.stderr)).toMatchObject({ error: { exit: 12, ...error, hint } });
    const asEvents = await run(`${line} --events x`, { env });
    expect(asEvents.code).toBe(12);
    const all = eventsIn(asEvents.stdout);
    expect(all.at(-1)).toMatchObject({ type: 'done', ...partial });
    expect(textOf(all, 'text')).toBe('one two');
    expect(asEvents.stderr).toMatch(/^error: the answer is incomplete: .+\nhint: .+\n$/);
  });

  it('a refusal leaves stdout empty under --json, and ends --events with done', async () => {
    const refusal = { code: 'no_money', message: 'too little' };
    const env = localScript({ error: { status: 402, ...refusal } });
    const asJson = await run(`${line} --json x`, { env });
    expect(asJson).toMatchObject({ code: 5, stdout: '' });
    const more = { hint: text(/svc --local balance/), requestId: text(/^req_/) };
    expect(JSON.parse(asJson.stderr)).toEqual({
      error: { exit: 5, status: 402, ...refusal, ...more },
    });
    const asEvents = await run(`${line} --events x`, { env });
    expect(asEvents.code).toBe(5);
    const all = eventsIn(asEvents.stdout);
    expect(all).toMatchObject([{ type: 'done', complete: false, error: refusal }]);
  });
});

it('the object of --json contains what the service says, and nothing else', async () => {
  const { env } = await fakeService(events(chunks('a', 'b') + chunksEnd));
  const result = await run('chat -m m --json hi', { env });
  expect(result).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(result.stdout)).toEqual({
    ...{ id: 'c1', model: 'm', text: 'ab', reasoning: '', toolCalls: [] },
    ...{ finishReason: 'stop', complete: true, cost: {}, ids: {} },
  });
});

it('the object of --json has the price from the usage record that the reply names, and the balance', async () => {
  const ids = { generationId: 'gen_1', requestId: 'r1' };
  const { env } = await fakeService((request, response) => {
    const head = { 'x-svc-generation-id': 'gen_1', 'x-svc-request-id': 'r1' };
    const answers: Record<string, unknown> = {
      '/v1/generations/gen_1': { id: 'gen_1', priceRub: 1.25 },
      '/v1/balance': { balance_rub: 7.5, currency: 'RUB' },
    };
    const answer = answers[request.url];
    (answer ? json(answer) : events(chunks('a') + chunksEnd, head))(request, response);
  });
  const asJson = await run('chat -m m --json hi', { env });
  const cost = { priceRub: 1.25, balanceRub: 7.5 };
  expect(JSON.parse(asJson.stdout)).toMatchObject({ cost, ids });
  const shown = await run('chat -m m hi', { env, tty: { stderr: true, stdin: true } });
  expect(shown.stderr).toContain('1.25 RUB · balance 7.50 RUB');
});

const choices = ['a', 'b'].map((content, index) => {
  return { index, message: { content }, finish_reason: 'stop' };
});
const usage = { prompt_tokens: 1, completion_tokens: 2, searches: 3, type: 'x' };
const reply = { id: 'c1', model: 'm', choices, usage };
const streamed = choices.map(({ message, ...more }) => ({ ...more, delta: message }));
const chunk = JSON.stringify({ ...reply, choices: streamed });
it.each([
  ['--no-stream', json(reply)],
  ['', events(`data: ${chunk}\n\ndata: [DONE]\n\n`)],
])(
  'the object of --json passes on unknown fields, in the last event as well %s',
  async (option, answer) => {
    const whole = {
      text: 'a',
      usage: { inputTokens: 1, outputTokens: 2 },
      raw: { choices: [null, choices[1]], usage: { searches: 3, type: 'x' } },
    };
    const { env } = await fakeService(answer);
    expect(await jsonOf(run(`chat -m m ${option} --json hi`, { env }))).toMatchObject(whole);
    const asEvents = await run(`chat -m m ${option} --events hi`, { env });
    const all = eventsIn(asEvents.stdout);
    expect(all.at(-1)).toMatchObject({ type: 'done', ...whole });
    expect(all.map(({ type }) => type)).toContain('usage');
  },
);
