/** The messages of a conversation as svc keeps them, and as each wire format has them. */
import * as z from 'zod/mini';
import { chatFormats, messageRoles, type ChatFormat } from '../../contract/enums.js';
import { UsageError } from '../../errors.js';
import { listOf, parsedJson, recordOf, textOf, type JsonRecord } from '../../lib/json.js';
import type { Answer, ToolCall } from './answer.js';
import { userMessage, type ChatCall, type Part, type ToolResultPart } from './question.js';

const text = z.string();
const maybe = z.optional(text);
const size = z.optional(z.number());
const KeptPart = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['text', 'reasoning']), text }),
  /** Its URL, or what was attached: its hash and size, and the file that it was read from. */
  z.object({ type: z.literal('image'), url: maybe, path: maybe, hash: maybe, bytes: size }),
  z.object({ type: z.literal('tool_call'), id: text, name: text, arguments: text }),
  z.object({ type: z.literal('tool_result'), id: text, text, isError: z.optional(z.boolean()) }),
]);
export type KeptPart = z.output<typeof KeptPart>;
export type ToolCallPart = Extract<KeptPart, { type: 'tool_call' }>;

export const KeptMessage = z.object({
  role: z.enum(messageRoles),
  parts: z.array(KeptPart),
  /** What the same format gets back unchanged. */
  native: z.optional(z.object({ format: z.enum(chatFormats), items: z.array(z.unknown()) })),
});
export type KeptMessage = z.output<typeof KeptMessage>;

/** @param isWhole otherwise only its text can be returned. @returns undefined for an empty one. */
export function keptAnswer(
  format: ChatFormat,
  answer: Answer,
  isWhole: boolean,
): KeptMessage | undefined {
  const { text, reasoning, finishReason = '', toolCalls } = answer;
  const isCut = /^(length|max_tokens|max_output_tokens|incomplete)$/.test(finishReason);
  const returns = isWhole && !isCut;
  const items = returns ? nativeItems[format](answer) : [];
  const texts: KeptPart[] = [
    { type: 'reasoning', text: reasoning },
    { type: 'text', text },
  ];
  const filled = texts.filter((part) => 'text' in part && part.text !== '');
  const parts = returns ? [...filled, ...toolCalls.map(callOf)] : filled;
  if (parts.length === 0 && items.length === 0) return undefined;
  return { role: 'assistant', parts, native: items.length > 0 ? { format, items } : undefined };
}

const nativeItems = {
  chat: ({ text, reasoning, toolCalls, rest }: Answer): unknown[] => {
    const [choice] = listOf(rest?.['choices']);
    const details = recordOf(recordOf(choice)['message'])['reasoning_details'];
    // Some services need their reasoning back with a tool call, and refuse it elsewhere.
    const thought = toolCalls.length > 0 && reasoning !== '' ? reasoning : undefined;
    if (details === undefined && thought === undefined) return [];
    const [message] = answerIn.chat(text, toolCalls.map(callOf));
    return [{ ...recordOf(message), reasoning_content: thought, reasoning_details: details }];
  },
  messages: ({ items, toolCalls, rest }: Answer): unknown[] => {
    const more = listOf(rest?.['content']);
    const blocks = items.map(({ index, item, text, reasoning }) => {
      const { citations, input = item['input'] } = recordOf(more[index]);
      const call = toolCalls.find(({ id }) => id === item['id']);
      if (item['type'] === 'text') return { ...item, citations, text };
      if (item['type'] === 'thinking') return { ...item, thinking: reasoning };
      return { ...item, input: call ? recordOf(parsedJson(call.arguments)) : input };
    });
    // The public format refuses an empty text.
    const content = blocks.filter((block) => !('text' in block) || block.text !== '');
    return content.length > 0 ? [{ role: 'assistant', content }] : [];
  },
  responses: ({ items }: Answer): unknown[] => items.map(({ item }) => item),
};

/** What a request adds to a conversation: results of tools, the messages of a file, the question. */
export function keptMessages(format: ChatFormat, question: ChatCall): KeptMessage[] {
  const { messages, parts, results } = question;
  if (results) return [{ role: 'tool', parts: [...results] }];
  const earlier = listOf(messages).map((message): KeptMessage => {
    const role = messageRoles.find((name) => name === recordOf(message)['role']) ?? 'user';
    return { role, parts: textsOf(recordOf(message)), native: { format, items: [message] } };
  });
  return parts.length > 0 ? [...earlier, { role: 'user', parts: [...parts] }] : earlier;
}

/** The text of a message that is nothing else; other messages are only for their own format. */
function textsOf({ role, content, tool_calls: calls }: JsonRecord): KeptPart[] {
  if (role === 'tool' || calls !== undefined) return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  const texts = listOf(content).map((block) => textOf(recordOf(block)['text']));
  if (texts.includes(undefined)) return [];
  return texts.map((text = '') => ({ type: 'text', text }));
}

/** Messages to send. Reasoning returns only in its own format. @throws UsageError */
export function wireMessages(format: ChatFormat, messages: readonly KeptMessage[]): unknown[] {
  return withResults(messages).flatMap(({ role, parts, native }): unknown[] => {
    if (native?.format === format) return native.items;
    if (native && parts.length === 0) {
      const message = `a message of this conversation cannot be sent in the format ${format}`;
      throw new UsageError(message, { hint: `use --format ${native.format}` });
    }
    const results = parts.flatMap((part) =>
      part.type === 'tool_result' ? [resultIn[format](part)] : [],
    );
    const calls = parts.filter((part) => part.type === 'tool_call');
    const others = parts.flatMap((part): Part[] => {
      if (part.type === 'text') return [{ type: 'text', text: part.text }];
      return part.type === 'image' && part.url ? [{ type: 'image', url: part.url }] : [];
    });
    const text = others.map((part) => (part.type === 'text' ? part.text : '')).join('');
    if (role === 'tool') {
      return format === 'messages' ? [{ role: 'user', content: results }] : results;
    }
    if (role === 'system') return [{ role, content: text }];
    if (role === 'user') return [userMessage(format, others)];
    return text === '' && calls.length === 0 ? [] : answerIn[format](text, calls);
  });
}

const noResult = 'The tool was not run.';

/** The public formats refuse a tool call without a result. */
function withResults(messages: readonly KeptMessage[]): KeptMessage[] {
  return messages.flatMap((message, index): KeptMessage[] => {
    const calls = message.parts.filter((part) => part.type === 'tool_call');
    // Where a service gives no ids, those of a later answer are the same.
    const after = calls.length > 0 ? (messages[index + 1]?.parts ?? []) : [];
    const known = after.map((part) => (part.type === 'tool_result' ? part.id : undefined));
    const open = calls.flatMap(({ id }) => (known.includes(id) ? [] : [id]));
    return open.length > 0 ? [message, notRun(message, open)] : [message];
  });
}

function notRun({ native }: KeptMessage, ids: readonly string[]): KeptMessage {
  const parts = ids.map((id) => ({ type: 'tool_result', id, text: noResult }) as const);
  if (native?.format !== 'responses') return { role: 'tool', parts };
  // There, a result has the type of its call.
  const calls = new Map(native.items.map(recordOf).map((item) => [item['call_id'], item['type']]));
  const items = ids.map((id) => {
    const type = `${textOf(calls.get(id)) ?? 'function_call'}_output`;
    return { type, call_id: id, output: noResult };
  });
  return { role: 'tool', parts, native: { format: 'responses', items } };
}

function callOf({ id, ...call }: ToolCall, index: number): ToolCallPart {
  return { type: 'tool_call', id: id ?? `call_${index}`, ...call };
}

const answerIn: Record<ChatFormat, (text: string, calls: readonly ToolCallPart[]) => unknown[]> = {
  chat: (text, calls) => {
    const toolCalls = calls.map(({ id, name, arguments: json }) => {
      return { id, type: 'function', function: { name, arguments: json } };
    });
    const answer = { role: 'assistant', content: text };
    if (calls.length === 0) return [answer];
    return [{ ...answer, content: text || null, tool_calls: toolCalls }];
  },
  messages: (text, calls) => {
    const uses = calls.map(({ id, name, arguments: json }) => {
      return { type: 'tool_use', id: plainId(id), name, input: recordOf(parsedJson(json)) };
    });
    return [{ role: 'assistant', content: [...(text ? [{ type: 'text', text }] : []), ...uses] }];
  },
  responses: (text, calls) => [
    ...(text ? [{ role: 'assistant', content: text }] : []),
    ...calls.map(({ id, ...call }) => ({ ...call, type: 'function_call', call_id: id })),
  ],
};

const resultIn: Record<ChatFormat, (result: ToolResultPart) => object> = {
  chat: ({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text }),
  messages: ({ type, id, text, isError }) => {
    return { type, tool_use_id: plainId(id), content: text, is_error: isError ? true : undefined };
  },
  responses: ({ id, text }) => ({ type: 'function_call_output', call_id: id, output: text }),
};

/** The messages format takes no other characters. */
const plainId = (id: string) => id.replace(/[^\w-]/g, '_');
