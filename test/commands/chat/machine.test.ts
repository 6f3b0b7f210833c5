import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { chunks, chunksEnd, events, fakeService, json } from '../../helpers/fake-service.js';
import { localScript } from '../../helpers/local-script.js';
import { run } from '../../helpers/run.js';

const Line = z.looseObject({ type: z.string() });

/** The events of --events; every line must be one. */
function lines(stdout: string) {
  expect(stdout.endsWith('\n')).toBe(true);
  return stdout
    .slice(0, -1)
    .split('\n')
    .map((line) => Line.parse(JSON.parse(line)));
}

/** One event after another, pieces of text put together. */
function mergedEvents(stdout: string): z.output<typeof Line>[] {
  const all: z.output<typeof Line>[] = [];
  for (const event of lines(stdout)) {
    const last = all.at(-1);
    if (last?.type === event.type && isText(event)) {
      last['text'] = String(last['text']) + String(event['text']);
    } else all.push(event);
  }
  return all;
}

function isText({ type }: { type: string }): boolean {
  return type === 'text' || type === 'reasoning';
}

const rule = {
  reasoning: 'Think. Then say.',
  reply: 'It is late.',
  toolCall: { name: 'now', arguments: { tz: 'UTC' } },
};

describe.each(['chat', 'messages', 'responses'] as const)('for a program, in %s', (format) => {
  const asked = {
    chat: '--reasoning-effort low',
    messages: '--thinking-budget 100',
    responses: '--reasoning-effort low --reasoning-summary auto',
  }[format];
  const line = `--local chat -m local/script --format ${format} ${asked}`;
  const whole = {
    id: expect.stringMatching(/^\w/),
    model: 'local/script',
    text: 'It is late.',
    reasoning: 'Think. Then say.',
    toolCalls: [{ id: expect.stringMatching(/^\w/), name: 'now', arguments: { tz: 'UTC' } }],
    finishReason: expect.any(String),
    complete: true,
    usage: expect.objectContaining({ inputTokens: 1, outputTokens: 11 }),
    cost: { priceRub: 0.0045, balanceRub: 999.9955 },
    ids: {
      'request-id': expect.stringMatching(/^req_/),
      'generation-id': expect.stringMatching(/^gen_/),
    },
  };

  it('--json is one object at the end, on a terminal as well, and stderr is silent', async () => {
    for (const more of ['', '--no-stream', '--no-reasoning']) {
      for (const tty of [false, true]) {
        const env = { ...localScript(rule), NO_COLOR: '1' };
        const result = await run(`${line} ${more} --json late`, { env, tty });
        expect(result, more).toMatchObject({ code: 0, stderr: '' });
        expect(result.stdout).toMatch(/^\{\n[^]*\n\}\n$/);
        expect(JSON.parse(result.stdout)).toEqual(whole);
      }
    }
  });

  it('--events reports each as it happens, and the whole at the end', async () => {
    const result = await run(`${line} --events late`, { env: localScript(rule) });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    const all = mergedEvents(result.stdout);
    expect(all.filter(isText)).toEqual([
      { type: 'reasoning', text: 'Think. Then say.' },
      { type: 'text', text: 'It is late.' },
    ]);
    expect(all.at(-1)).toEqual({ type: 'done', ...whole });
    const types = lines(result.stdout).map(({ type }) => type);
    expect(types.filter((type) => type === 'done')).toHaveLength(1);
    expect(new Set(types)).toEqual(
      new Set(['reasoning', 'text', 'tool_call', 'usage', 'finish', 'done']),
    );
    const pieces = lines(result.stdout).filter(({ type }) => type === 'tool_call');
    expect(pieces[0]).toMatchObject({
      index: expect.any(Number),
      id: whole.toolCalls[0]?.id,
      name: 'now',
    });
    expect(pieces.map((piece) => piece['arguments']).join('')).toBe('{"tz":"UTC"}');
  });

  it.each(['drop', 'end'])(
    'a truncated stream (%s) is reported as incomplete, with what arrived',
    async (cut) => {
      const env = localScript({ reply: 'one two', cut });
      const partial = {
        text: 'one two',
        complete: false,
        error: { code: expect.stringMatching(/^stream_/), message: expect.any(String) },
      };
      const asJson = await run(`${line} --json x`, { env });
      expect(asJson.code).toBe(12);
      expect(JSON.parse(asJson.stdout)).toMatchObject(partial);
      const { error } = z.object({ error: z.looseObject({}) }).parse(JSON.parse(asJson.stderr));
      expect(error).toMatchObject({ exit: 12, ...partial.error, hint: expect.any(String) });
      const asEvents = await run(`${line} --events x`, { env });
      expect(asEvents.code).toBe(12);
      expect(mergedEvents(asEvents.stdout).at(-1)).toMatchObject({ type: 'done', ...partial });
      expect(mergedEvents(asEvents.stdout).filter(isText)).toEqual([
        { type: 'text', text: 'one two' },
      ]);
      expect(asEvents.stderr).toMatch(/^error: the answer is incomplete: [^\n]+\nhint: [^\n]+\n$/);
    },
  );

  it('a refusal leaves stdout empty under --json, and ends --events with done', async () => {
    const env = localScript({ error: { status: 402, code: 'no_money', message: 'too little' } });
    const asJson = await run(`${line} --json x`, { env });
    expect(asJson).toMatchObject({ code: 5, stdout: '' });
    expect(JSON.parse(asJson.stderr)).toEqual({
      error: {
        exit: 5,
        code: 'no_money',
        status: 402,
        message: 'too little',
        hint: expect.stringContaining('svc --local balance'),
        requestId: expect.stringMatching(/^req_/),
      },
    });
    const asEvents = await run(`${line} --events x`, { env });
    expect(asEvents.code).toBe(5);
    expect(lines(asEvents.stdout)).toEqual([
      expect.objectContaining({
        type: 'done',
        complete: false,
        error: { code: 'no_money', message: 'too little' },
      }),
    ]);
  });
});

describe('the object of --json', () => {
  it('contains what the service says, and nothing else', async () => {
    const service = await fakeService(events(chunks('a', 'b') + chunksEnd));
    const result = await run('chat -m m --json hi', { env: service.env });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(result.stdout)).toEqual({
      id: 'c1',
      model: 'm',
      text: 'ab',
      reasoning: '',
      toolCalls: [],
      finishReason: 'stop',
      complete: true,
      cost: {},
      ids: {},
    });
  });

  it('has the price from the usage record that the reply names, and the balance', async () => {
    const service = await fakeService((request, response) => {
      const answers: Record<string, unknown> = {
        '/v1/generations/gen_1': { id: 'gen_1', priceRub: 1.25 },
        '/v1/balance': { balance_rub: 7.5, currency: 'RUB' },
      };
      if (request.method === 'GET') json(answers[request.url])(request, response);
      else {
        const headers = { 'x-svc-generation-id': 'gen_1', 'x-svc-request-id': 'r1' };
        events(chunks('a') + chunksEnd, headers)(request, response);
      }
    });
    const asJson = await run('chat -m m --json hi', { env: service.env });
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      cost: { priceRub: 1.25, balanceRub: 7.5 },
      ids: { 'generation-id': 'gen_1', 'request-id': 'r1' },
    });
    const seen = await run('chat -m m hi', {
      env: service.env,
      tty: { stderr: true, stdin: true },
    });
    expect(seen.stderr).toContain('1.25 RUB · balance 7.50 RUB');
  });

  it('passes on unknown fields, streamed or not, and in the last event as well', async () => {
    const choices = [
      { index: 0, message: { content: 'a' }, finish_reason: 'stop' },
      { index: 1, message: { content: 'b' }, finish_reason: 'stop' },
    ];
    const usage = { prompt_tokens: 1, completion_tokens: 2, searches: 3, type: 'x' };
    const reply = { id: 'c1', model: 'm', choices, usage };
    const chunk = {
      ...reply,
      choices: choices.map(({ message, ...more }) => ({ ...more, delta: message })),
    };
    const whole = {
      text: 'a',
      usage: { inputTokens: 1, outputTokens: 2, searches: 3, type: 'x' },
      raw: { choices: [null, choices[1]] },
    };
    for (const [flags, answer] of [
      ['--no-stream', json(reply)],
      ['', events(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)],
    ] as const) {
      const { env } = await fakeService(answer);
      const asJson = await run(`chat -m m ${flags} --json hi`, { env });
      expect(JSON.parse(asJson.stdout)).toMatchObject(whole);
      const asEvents = await run(`chat -m m ${flags} --events hi`, { env });
      expect(mergedEvents(asEvents.stdout).at(-1)).toMatchObject({ type: 'done', ...whole });
      expect(lines(asEvents.stdout).map(({ type }) => type)).toContain('usage');
    }
  });
});
