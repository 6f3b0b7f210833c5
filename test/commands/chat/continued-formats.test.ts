/** What a conversation returns to each format, checked against the types of the public SDKs. */
import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { events, fakeService } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { localScript } from '../../helpers/local-script.js';
import { run } from '../../helpers/run.js';
import { fileOf, formats } from './scene.js';

type ReasoningItem = OpenAI.Responses.ResponseReasoningItem;
type OutputMessage = OpenAI.Responses.ResponseOutputMessage;
type FunctionCall = OpenAI.Responses.ResponseFunctionToolCall;

const frames = (...data: object[]) =>
  data.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('');

/** Base64 with all that JSON or a shell might change. */
const signature = 'EqQBCgIYAhIM+/=\\u0041"\n==';
const block = (index: number, content_block: object, ...deltas: object[]) => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];
const messagesStream = frames(
  { type: 'message_start', message: { id: 'msg_1', role: 'assistant', model: 'm', content: [] } },
  ...block(
    0,
    { type: 'thinking', thinking: '', signature: '' },
    { type: 'thinking_delta', thinking: 'The sky ' },
    { type: 'thinking_delta', thinking: 'is “up” 🌧' },
    { type: 'signature_delta', signature },
  ),
  ...block(1, { type: 'redacted_thinking', data: 'b3BhcXVl+/=' }),
  ...block(2, { type: 'text', text: '' }, { type: 'text_delta', text: 'I look ' }),
  ...block(3, { type: 'thinking', thinking: '' }, { type: 'signature_delta', signature }),
  ...block(4, { type: 'text', text: '' }, { type: 'text_delta', text: 'it up.' }),
  ...block(5, { type: 'text', text: '' }),
  ...block(
    6,
    { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} },
    { type: 'input_json_delta', partial_json: '{"city":' },
    { type: 'input_json_delta', partial_json: '"Омск"}' },
  ),
  ...block(7, { type: 'tool_use', id: 'toolu_2', name: 'now', input: {} }),
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
  { type: 'message_stop' },
);
const messagesContent: Anthropic.Messages.ContentBlockParam[] = [
  { type: 'thinking', thinking: 'The sky is “up” 🌧', signature },
  { type: 'redacted_thinking', data: 'b3BhcXVl+/=' },
  { type: 'text', text: 'I look ' },
  { type: 'thinking', thinking: '', signature },
  { type: 'text', text: 'it up.' },
  { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Омск' } },
  { type: 'tool_use', id: 'toolu_2', name: 'now', input: {} },
];

const json = '{"city":"Омск"}';
const called = { name: 'weather', arguments: json };
const call = { type: 'function_call', call_id: 'call.1', ...called } as const;
const said: OutputMessage['content'] = [
  { type: 'output_text', text: 'I look.', annotations: [], logprobs: [] },
];
const output: (ReasoningItem | OutputMessage | FunctionCall)[] = [
  { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAAB+/=' },
  { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: said },
  { ...call, id: 'fc_1', status: 'completed' },
];
const items = output.flatMap((item, output_index) => [
  ...(item.type === 'message' ? [{ type: 'response.output_text.delta', delta: 'I look.' }] : []),
  { type: 'response.output_item.done', output_index, item },
]);
const ended = (more: object) => ({
  type: 'response.completed',
  response: { id: 'resp_1', status: 'completed', ...more },
});

const details = [{ type: 'reasoning.encrypted', data: 'gAAA+/=', id: 'r', index: 0 }];
const chatCall = { id: 'call.1', type: 'function', function: called } as const;
const chunk = (delta: object, finish_reason: string | null = null) => {
  return { id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason }] };
};
const chatStream = `${frames(
  chunk({ role: 'assistant', reasoning_content: 'Hm', reasoning_details: details }),
  chunk({ content: 'I look.' }),
  chunk({ tool_calls: [{ index: 0, ...chatCall }] }),
  chunk({}, 'tool_calls'),
)}data: [DONE]\n\n`;

const noResult = 'The tool was not run.';
const user = { role: 'user', content: 'weather?' } as const;
const next = { role: 'user', content: 'go on' } as const;
const asChat: OpenAI.ChatCompletionMessageParam[] = [
  user,
  { role: 'assistant', content: 'I look.', tool_calls: [chatCall] },
  { role: 'tool', tool_call_id: 'call.1', content: noResult },
  next,
];

/** The messages that a service gets when a conversation with this first answer continues. */
async function continued(format: string, stream: string, nextFormat = format) {
  const home = testFolder();
  const service = await fakeService(events(stream));
  const ask = (line: string) => run(`chat -m m ${line}`, { home, env: service.env });
  await ask(`--format ${format} weather?`);
  await ask(`-c ${nextFormat === format ? '' : `--format ${nextFormat}`} "go on"`);
  const body: Record<string, unknown> = JSON.parse(service.requests.at(-1)?.body ?? '');
  return body[nextFormat === 'responses' ? 'input' : 'messages'];
}

describe('an answer returns unchanged to its format', () => {
  it('messages: blocks in order, signatures byte for byte', async () => {
    const results = ['toolu_1', 'toolu_2'].map((tool_use_id) => {
      return { type: 'tool_result', tool_use_id, content: noResult } as const;
    });
    const answer = { role: 'assistant', content: messagesContent } as const;
    const expected: Anthropic.Messages.MessageParam[] = [
      ...[user, answer, { role: 'user', content: results } as const, next],
    ];
    expect(await continued('messages', messagesStream)).toEqual(expected);
    const whole = JSON.stringify({ content: messagesContent, stop_reason: 'tool_use' });
    expect(await continued('messages', whole)).toEqual(expected);
  });

  const result = { type: 'function_call_output', call_id: 'call.1', output: noResult } as const;
  const expected: OpenAI.Responses.ResponseInputItem[] = [user, ...output, result, next];
  it.each([
    ['as they end', frames(...items, ended({}))],
    ['in the last event', frames(ended({ output }))],
    ['whole', JSON.stringify({ output, status: 'completed' })],
  ])('responses: the items that arrive %s', async (_, stream) => {
    expect(await continued('responses', stream)).toEqual(expected);
  });

  it('chat: reasoning with its tool calls', async () => {
    const reasoning = { reasoning_content: 'Hm', reasoning_details: details };
    const [first, answer, ...others] = asChat;
    const expected = [first, { ...answer, ...reasoning }, ...others];
    expect(await continued('chat', chatStream)).toEqual(expected);
  });
});

describe('an answer of another format keeps its text and tool calls', () => {
  const streams = {
    chat: chatStream,
    messages: messagesStream,
    responses: frames(...items, ended({})),
  };
  const use = { type: 'tool_use', id: 'call_1', name: 'weather', input: { city: 'Омск' } } as const;
  const result = { type: 'tool_result', tool_use_id: 'call_1', content: noResult } as const;
  const asMessages: Anthropic.Messages.MessageParam[] = [
    user,
    { role: 'assistant', content: [{ type: 'text', text: 'I look.' }, use] },
    { role: 'user', content: [result] },
    next,
  ];
  it.each(['chat', 'responses'] as const)('%s to messages', async (from) => {
    expect(await continued(from, streams[from], 'messages')).toEqual(asMessages);
  });

  it('chat to responses, and responses to chat', async () => {
    const text = { role: 'assistant', content: 'I look.' } as const;
    const output = { type: 'function_call_output', call_id: 'call.1', output: noResult } as const;
    const input: OpenAI.Responses.ResponseInputItem[] = [user, text, call, output, next];
    expect(await continued('chat', streams.chat, 'responses')).toEqual(input);
    expect(await continued('responses', streams.responses, 'chat')).toEqual(asChat);
  });

  it('but not a call that was cut, nor its reasoning', async () => {
    const cut = messagesStream.slice(0, messagesStream.indexOf('data: {"type":"message_delta"'));
    const answer = { role: 'assistant', content: [{ type: 'text', text: 'I look it up.' }] };
    expect(await continued('messages', cut)).toEqual([user, answer, next]);
    const short = messagesStream.replace('"stop_reason":"tool_use"', '"stop_reason":"max_tokens"');
    expect(await continued('messages', short)).toEqual([user, answer, next]);
  });
});

it.each(formats)(
  'the embedded service takes each continued request after a tool call in the format %s',
  async (format) => {
    const home = testFolder();
    const tools = fileOf([{ name: 'weather', input_schema: { type: 'object' } }]);
    const calls = { match: 'weather?', reasoning: 'Hm', toolCalls: [{ name: 'weather' }] };
    const env = localScript(calls, { reply: 'ok' });
    const ask = (line: string) => run(`--local chat -m local/script ${line}`, { home, env });
    const first = await ask(`--tool-definitions ${tools} --format ${format} weather?`);
    expect(JSON.parse(first.stdout)).toMatchObject({ name: 'weather' });
    for (const next of formats) {
      const { code, stdout, stderr } = await ask(`-c --format ${next} "go on"`);
      expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'ok\n', stderr: '' });
      const { stdout: shown } = await ask('--dry-run -c x');
      expect(JSON.parse(shown)).toMatchObject({ body: { tools: [{}] } });
    }
  },
);

const gif = Buffer.from('GIF89a\u0001\0\u0001\0\0\0\0;', 'latin1');
const url = `data:image/gif;base64,${gif.toString('base64')}`;
const asked = (words: string) => `--local chat -m local/echo ${words}`;

it('an attached image of a file is read again, and must be the same', async () => {
  const home = testFolder();
  const path = fileOf(gif, 'a.gif');
  await run(asked(`-a ${path} one`), { home });
  const { stdout } = await run(asked('-c --dry-run two'), { home });
  expect(stdout).toContain(url);
  writeFileSync(path, Buffer.concat([gif, gif]));
  const refused = await run(asked('-c two'), { home });
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toBe(
    `error: an image of this conversation is gone or has changed: ${path}\n` +
      'hint: to attach it to a new conversation: svc --local chat -a FILE\n',
  );
});

it('an attached image of a pipe is kept', async () => {
  const home = testFolder();
  await run(asked('-a - one'), { home, stdin: gif });
  expect((await run(asked('-c --dry-run two'), { home })).stdout).toContain(url);
});

it('messages of a file are continued in any format if they are text', async () => {
  const home = testFolder();
  const ask = async (messages: object[], line: string) => {
    await run(`--local chat -m local/echo --history ${fileOf(messages)} x`, { home });
    return run(`--local chat -c --dry-run ${line} y`, { home });
  };
  const system = { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] };
  const { stdout } = await ask([system, user], '--format responses');
  expect(JSON.parse(stdout)).toMatchObject({
    body: { input: [{ role: 'system', content: 'Be brief.' }, user, { content: 'x' }, {}, {}] },
  });
  const asks = { role: 'assistant', content: null, tool_calls: [chatCall] };
  const tool = { role: 'tool', tool_call_id: 'call.1', content: 'rain' };
  expect((await ask([user, asks, tool], '')).stdout).toContain('"tool_call_id": "call.1"');
  const refused = await ask([user, asks, tool], '--format messages');
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain('--format chat');
});
