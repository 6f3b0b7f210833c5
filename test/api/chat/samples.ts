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
    bare({
      id: 'gen_1',
      choices: [],
      usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 },
    }),
    done,
  ],
  reply: {
    id: 'gen_1',
    model: 'maker/model',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text,
          reasoning_content: reasoning,
          tool_calls: [
            {
              id: call.id,
              type: 'function',
              function: { name: call.name, arguments: call.arguments },
            },
          ],
        },
        finish_reason: 'tool_calls',
      },
    ],
    usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 },
  },
};

const messages: Sample = {
  format: 'messages',
  finishReason: 'tool_use',
  ending: 2,
  frames: [
    named({
      type: 'message_start',
      message: {
        id: 'gen_1',
        model: 'maker/model',
        content: [],
        usage: { input_tokens: 3, output_tokens: 1 },
      },
    }),
    named({ type: 'ping' }),
    named({
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'thinking', thinking: '' },
    }),
    named({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'thinking_delta', thinking: reasoning },
    }),
    named({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'signature_delta', signature: 'c2ln' },
    }),
    named({ type: 'content_block_stop', index: 0 }),
    named({ type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } }),
    ...pieces.map((piece) =>
      named({ type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: piece } }),
    ),
    named({ type: 'content_block_stop', index: 1 }),
    named({
      type: 'content_block_start',
      index: 2,
      content_block: { type: 'tool_use', id: call.id, name: call.name, input: {} },
    }),
    ...['', open, rest].map((partial_json) =>
      named({
        type: 'content_block_delta',
        index: 2,
        delta: { type: 'input_json_delta', partial_json },
      }),
    ),
    named({ type: 'content_block_stop', index: 2 }),
    named({
      type: 'message_delta',
      delta: { stop_reason: 'tool_use' },
      usage: { output_tokens: 5 },
    }),
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
  {
    type: 'function_call',
    id: 'fc_1',
    call_id: call.id,
    name: call.name,
    arguments: call.arguments,
  },
];
const completed = {
  id: 'gen_1',
  model: 'maker/model',
  status: 'completed',
  error: null,
  output,
  usage: { input_tokens: 3, output_tokens: 5, total_tokens: 8 },
};

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
    named({ type: 'response.output_item.added', output_index: 0, item: { type: 'reasoning' } }),
    named({ type: 'response.reasoning_summary_text.delta', output_index: 0, delta: reasoning }),
    named({ type: 'response.reasoning_summary_text.done', output_index: 0, text: reasoning }),
    named({ type: 'response.output_item.added', output_index: 1, item: { type: 'message' } }),
    named({
      type: 'response.content_part.added',
      output_index: 1,
      part: { type: 'output_text', text: '' },
    }),
    ...pieces.map((delta) => named({ type: 'response.output_text.delta', output_index: 1, delta })),
    named({ type: 'response.output_text.done', output_index: 1, text }),
    named({
      type: 'response.content_part.done',
      output_index: 1,
      part: { type: 'output_text', text },
    }),
    named({ type: 'response.output_item.done', output_index: 1, item: output[1] }),
    named({
      type: 'response.output_item.added',
      output_index: 2,
      item: { ...output[2], arguments: '' },
    }),
    named({ type: 'response.function_call_arguments.delta', output_index: 2, delta: open }),
    named({ type: 'response.function_call_arguments.delta', output_index: 2, delta: rest }),
    named({
      type: 'response.function_call_arguments.done',
      output_index: 2,
      arguments: call.arguments,
    }),
    named({ type: 'response.output_item.done', output_index: 2, item: output[2] }),
    named({ type: 'response.completed', response: completed }),
  ],
  reply: completed,
};

export const samples: readonly Sample[] = [chat, messages, responses];
