/** One answer in each wire format: streamed and whole. */
import type { ChatFormat } from '../../../src/contract/enums.js';
import { bare, chunk, done, named, type Frame } from './streams.js';

export const reasoning = 'Мысль: 🤔.';
export const text = 'Привет, "мир" 🌍\n\\ — héllo!';

export interface Sample {
  format: ChatFormat;
  frames: readonly Frame[];
  /** How many frames at the end announce the end; the last of them is the terminator. */
  ending: number;
  finishReason: string;
  /** The same answer in one JSON body. */
  reply: Record<string, unknown>;
}

/** The text in three pieces, so that every sample has deltas of its own shape. */
const pieces = [text.slice(0, 4), text.slice(4, 20), text.slice(20)];
const call = { id: 'call_1', name: 'weather', arguments: '{"city":"Омск"}' };
const [open, rest] = [call.arguments.slice(0, 9), call.arguments.slice(9)];

/** What every sample says. */
export const expected = {
  id: 'gen_1',
  model: 'maker/model',
  text,
  reasoning,
  toolCalls: [call],
};

const fn = { name: call.name, arguments: call.arguments };
const message = {
  role: 'assistant',
  content: text,
  reasoning_content: reasoning,
  tool_calls: [{ id: call.id, type: 'function', function: fn }],
};
const usage = { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 };

const chat: Sample = {
  format: 'chat',
  finishReason: 'tool_calls',
  ending: 3,
  frames: [
    chunk({ role: 'assistant', content: '' }),
    chunk({ reasoning_content: reasoning }),
    ...pieces.map((content) => chunk({ content })),
    chunk({
      tool_calls: [{ index: 0, id: call.id, type: 'function', function: { name: call.name } }],
    }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: open } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: rest } }] }),
    chunk({}, 'tool_calls'),
    bare({ id: 'gen_1', choices: [], usage }),
    done,
  ],
  reply: {
    id: 'gen_1',
    model: 'maker/model',
    choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
    usage,
  },
};

const start = (index: number, content_block: object) =>
  named({ type: 'content_block_start', index, content_block });
const delta = (index: number, type: string, more: object) =>
  named({ type: 'content_block_delta', index, delta: { type, ...more } });
const stop = (index: number) => named({ type: 'content_block_stop', index });

const used = { input_tokens: 3, output_tokens: 1 };
const stopped = { stop_reason: 'tool_use' };
const begun = { id: 'gen_1', model: 'maker/model', content: [], usage: used };

const messages: Sample = {
  format: 'messages',
  finishReason: 'tool_use',
  ending: 2,
  frames: [
    named({ type: 'message_start', message: begun }),
    named({ type: 'ping' }),
    start(0, { type: 'thinking', thinking: '' }),
    delta(0, 'thinking_delta', { thinking: reasoning }),
    delta(0, 'signature_delta', { signature: 'c2ln' }),
    stop(0),
    start(1, { type: 'text', text: '' }),
    ...pieces.map((piece) => delta(1, 'text_delta', { text: piece })),
    stop(1),
    start(2, { type: 'tool_use', id: call.id, name: call.name, input: {} }),
    ...['', open, rest].map((partial_json) => delta(2, 'input_json_delta', { partial_json })),
    stop(2),
    named({ type: 'message_delta', delta: stopped, usage: { output_tokens: 5 } }),
    named({ type: 'message_stop' }),
  ],
  reply: {
    id: 'gen_1',
    type: 'message',
    model: 'maker/model',
    content: [
      { type: 'thinking', thinking: reasoning, signature: 'c2ln' },
      { type: 'text', text },
      { type: 'tool_use', id: call.id, name: call.name, input: { city: 'Омск' } },
    ],
    stop_reason: 'tool_use',
    usage: { input_tokens: 3, output_tokens: 5 },
  },
};

const output = [
  { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: reasoning }] },
  { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text }] },
  { type: 'function_call', id: 'fc_1', call_id: call.id, ...fn },
];
const completed = {
  id: 'gen_1',
  model: 'maker/model',
  status: 'completed',
  error: null,
  output,
  usage: { input_tokens: 3, output_tokens: 5, total_tokens: 8 },
};

/** An event about one item of the output. */
const about = (output_index: number, type: string, more: object) =>
  named({ type: `response.${type}`, output_index, ...more });
const part = { type: 'output_text', text };

const responses: Sample = {
  format: 'responses',
  finishReason: 'completed',
  ending: 1,
  frames: [
    named({
      type: 'response.created',
      response: { id: 'gen_1', model: 'maker/model', output: [] },
    }),
    named({ type: 'response.in_progress', response: { id: 'gen_1' } }),
    about(0, 'output_item.added', { item: { type: 'reasoning' } }),
    about(0, 'reasoning_summary_text.delta', { delta: reasoning }),
    about(0, 'reasoning_summary_text.done', { text: reasoning }),
    about(1, 'output_item.added', { item: { type: 'message' } }),
    about(1, 'content_part.added', { part: { ...part, text: '' } }),
    ...pieces.map((piece) => about(1, 'output_text.delta', { delta: piece })),
    about(1, 'output_text.done', { text }),
    about(1, 'content_part.done', { part }),
    about(1, 'output_item.done', { item: output[1] }),
    about(2, 'output_item.added', { item: { ...output[2], arguments: '' } }),
    about(2, 'function_call_arguments.delta', { delta: open }),
    about(2, 'function_call_arguments.delta', { delta: rest }),
    about(2, 'function_call_arguments.done', { arguments: call.arguments }),
    about(2, 'output_item.done', { item: output[2] }),
    named({ type: 'response.completed', response: completed }),
  ],
  reply: completed,
};

export const samples: readonly Sample[] = [chat, messages, responses];
