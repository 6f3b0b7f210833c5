import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { readScript } from '../../../src/service/engines/script.js';
import { ServiceFailure } from '../../../src/service/failure.js';
import { testFolder } from '../../helpers/folder.js';
import {
  ask as send,
  chatBody,
  chatText as said,
  historyOf,
  openService,
  post,
} from '../helpers.js';
import { scripted } from '../script.js';

const path = '/v1/chat/completions';

function ask(content: string, more: object = {}): object {
  return chatBody(content, { model: 'local/script', ...more });
}

describe('local/script', () => {
  it('answers by the first rule that matches', async () => {
    const { service } = scripted([
      { match: 'weather', reply: 'Sunny.' },
      { match: { regex: '^ADD (\\d+)$', flags: 'i' }, reply: 'Added.' },
      { match: { text: 'exactly' }, reply: 'Exact.' },
      { match: { contains: 'x', turn: 2 }, reply: 'Second x.' },
      { match: { system: 'pirate' }, reply: 'Arr.' },
      { match: { model: 'local/script:economy' }, reply: 'Cheap.' },
      { match: { format: 'responses' }, reply: 'As a response.' },
      { match: { stream: true }, reply: 'As a stream.' },
      { reply: { any: ['JSON', null] } },
    ]);
    const reply = async (body: object) => said(await post(service, path, body));
    expect(await reply(ask('the weather?'))).toBe('Sunny.');
    expect(await reply(ask('add 12'))).toBe('Added.');
    expect(await reply(ask('exactly'))).toBe('Exact.');
    expect(await reply(ask('not exactly'))).toBe('{"any":["JSON",null]}');
    const two = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
      { role: 'user', content: 'x' },
    ];
    expect(await reply(ask('', { messages: two }))).toBe('Second x.');
    const system = [
      { role: 'system', content: 'You are a pirate.' },
      { role: 'user', content: 'hi' },
    ];
    expect(await reply(ask('', { messages: system }))).toBe('Arr.');
    expect(await reply(ask('hi', { model: 'script:economy' }))).toBe('Cheap.');
    const response = await post(service, '/v1/responses', { model: 'script', input: 'hi' });
    expect(await response.json()).toMatchObject({
      output: [{ content: [{ text: 'As a response.' }] }],
    });
    const stream = await post(service, path, ask('hi', { stream: true }));
    expect(await stream.text()).toContain('stream.');
  });

  it('calls tools, with the arguments given or made up from the schema', async () => {
    const parameters = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const tools = [{ type: 'function', function: { name: 'b', parameters } }];
    const { service } = scripted([
      { match: { last: 'tool' }, reply: 'Done.' },
      { toolCalls: [{ name: 'a', arguments: { x: 'é' } }, { name: 'b' }, { name: 'c' }] },
    ]);
    const reply: unknown = await (await post(service, path, ask('go', { tools }))).json();
    expect(reply).toMatchObject({
      choices: [
        {
          message: {
            tool_calls: [
              { function: { name: 'a', arguments: '{"x":"é"}' } },
              { function: { name: 'b', arguments: '{"n":0}' } },
              { function: { name: 'c', arguments: '{}' } },
            ],
          },
        },
      ],
    });
    const after = [
      { role: 'user', content: 'go' },
      { role: 'tool', tool_call_id: 'c', content: 'result' },
    ];
    expect(await said(await post(service, path, ask('', { messages: after })))).toBe('Done.');
  });

  it('fails as its rule says, and charges nothing', async () => {
    const { service } = scripted([
      { error: { status: 429, code: 'slow_down', message: 'Slow down.', retryAfter: 3 } },
    ]);
    const response = await post(service, path, ask('x', { stream: true }));
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('3');
    expect(await response.json()).toEqual({
      error: { message: 'Slow down.', type: 'rate_limit_error', code: 'slow_down', param: null },
    });
    const messages = await post(service, '/v1/messages', ask('x', { max_tokens: 5 }));
    expect(await messages.json()).toMatchObject({
      type: 'error',
      error: { type: 'rate_limit_error', message: 'Slow down.' },
    });
    expect(await historyOf(service)).toEqual([]);
  });

  it('passes a rule over once it has answered often enough', async () => {
    const { service } = scripted([
      { times: 2, error: { status: 503, retryAfter: 'Wed, 21 Oct 2026 07:28:00 GMT' } },
      { reply: 'At last.' },
    ]);
    const statuses = [];
    for (let i = 0; i < 4; i += 1) statuses.push((await post(service, path, ask('x'))).status);
    expect(statuses).toEqual([503, 503, 200, 200]);
  });

  it('reads the file again when it has changed', async () => {
    const { service, rewrite } = scripted([{ reply: 'old' }]);
    expect(await said(await post(service, path, ask('x')))).toBe('old');
    rewrite([{ reply: 'brand new' }]);
    expect(await said(await post(service, path, ask('x')))).toBe('brand new');
  });

  it('waits before the answer and between its pieces', async () => {
    const { service, clock } = scripted([
      { delayMs: 250, chunkDelayMs: 10, chunkSize: 2, reply: 'abcdef' },
    ]);
    const response = await post(service, path, ask('x', { stream: true }));
    expect(clock.sleeps).toEqual([250]);
    await response.text();
    expect(clock.sleeps).toEqual([250, 10, 10]);
  });

  it('thinks aloud unless the request forbids it', async () => {
    const { service } = scripted([{ reasoning: 'Hm.', reply: 'Yes.' }]);
    const thoughts = async (more: object) =>
      (await (await post(service, path, ask('x', more))).text()).includes(
        '"reasoning_content":"Hm."',
      );
    expect(await thoughts({})).toBe(true);
    expect(await thoughts({ reasoning_effort: 'high' })).toBe(true);
    expect(await thoughts({ reasoning_effort: 'none' })).toBe(false);
    const plain = await post(service, '/v1/messages', ask('x', { max_tokens: 50 }));
    expect(await plain.text()).not.toContain('thinking');
  });

  it.each([true, 'drop'])('drops the connection with cut: %j, after the text', async (cut) => {
    const { service } = scripted([{ reply: 'half an answer', cut }]);
    const { body } = await post(service, path, ask('x', { stream: true }));
    if (!body) throw new Error('no body');
    const seen: string[] = [];
    await expect(
      (async () => {
        for await (const chunk of body) seen.push(Buffer.from(chunk).toString());
      })(),
    ).rejects.toThrow();
    expect(seen.join('')).toContain('answer');
    expect(seen.join('')).not.toMatch(/finish_reason":"|DONE/);
  });

  it('ends without a terminator with cut: "end"', async () => {
    const { service } = scripted([{ reply: 'half an answer', cut: 'end' }]);
    for (const [where, more] of [
      [path, {}],
      ['/v1/messages', { max_tokens: 50 }],
      ['/v1/responses', { input: 'x' }],
    ] as const) {
      const text = await (await post(service, where, ask('x', { stream: true, ...more }))).text();
      expect(text).toContain('answer');
      expect(text).not.toMatch(/DONE|message_stop|response\.completed|finish_reason":"/);
    }
  });

  it('stops waiting when the caller is gone', async () => {
    const { service } = scripted([{ delayMs: 600_000, reply: 'late' }]);
    const gone = new AbortController();
    gone.abort();
    const response = await send(service, path, { body: ask('x'), signal: gone.signal });
    expect(response.status).toBe(500);
    expect(await historyOf(service)).toEqual([]);
  });

  it('says so when there is no script, a bad one, or no rule', async () => {
    const code = async (response: Response) => {
      expect(response.status).toBe(400);
      return z.object({ error: z.object({ code: z.string() }) }).parse(await response.json()).error
        .code;
    };
    expect(await code(await post(openService(), path, ask('x')))).toBe('script_missing');
    const bad = openService({ scriptPath: join(testFolder(), 'none.json') });
    expect(await code(await post(bad, path, ask('x')))).toBe('script_invalid');
    const { service } = scripted([{ match: 'y', reply: 'z' }]);
    expect(await code(await post(service, path, ask('x')))).toBe('script_no_match');
  });
});

const read = (text: string | Buffer) => {
  const file = join(testFolder(), 'rules.json');
  writeFileSync(file, text);
  return readScript(file);
};
const rules = (...list: object[]) => JSON.stringify({ rules: list });

it.each<[string, string]>([
  ['{"rules": [\n  {"reply": "x",}\n]}', 'is not JSON at line 2, column 17'],
  ['[]', 'the script must be an object'],
  ['{}', 'rules is missing'],
  [rules(), 'rules must have at least 1 item'],
  [rules({ reply: 'x', reploy: 'y' }), 'rules[0] has the unknown field "reploy"'],
  [rules({ reply: 'x' }, { match: { regexp: 'x' }, reply: 'y' }), 'rules[1].match'],
  [rules({}), 'rules[0] has no answer'],
  [rules({ match: { regex: '(' }, reply: '' }), 'rules[0] has an invalid match.regex'],
  [rules({ match: { flags: 'i' }, reply: '' }), 'rules[0] has match.flags without regex'],
  [rules({ error: { status: 200 } }), 'rules[0].error.status must be at least 400'],
  [rules({ error: { retryAfter: 'a\nb' } }), 'rules[0].error.retryAfter'],
  [rules({ error: {}, cut: true }), 'rules[0] has both error and cut'],
  [rules({ error: {}, toolCall: { name: 'a' } }), 'rules[0] has both an error and a tool call'],
  [rules({ reply: 'x', delayMs: -1 }), 'rules[0].delayMs must be at least 0'],
])('readScript says what is wrong with %s', (text, message) => {
  expect(() => read(text)).toThrow(ServiceFailure);
  expect(() => read(text)).toThrow(message);
  expect(() => read(text)).toThrow(/rules\.json/);
});
