/** The conversation in another program's request as svc keeps it: what `wireMessages` writes, read. */
import type { ChatFormat } from '../../contract/enums.js';
import { isRecord, listOf, recordOf, textOf, valueText, type JsonRecord } from '../../lib/json.js';
import type { KeptMessage, KeptPart } from './conversation.js';

export interface KeptRequest {
  readonly system: string | undefined;
  readonly tools: readonly unknown[] | undefined;
  /** All of them: a program sends the whole conversation each time. */
  readonly messages: readonly KeptMessage[];
}

/** What cannot be understood is kept for its own format, and is named where its text would stand. */
export function keptRequest(format: ChatFormat, body: JsonRecord): KeptRequest {
  const { input, instructions, messages, system = instructions, tools } = body;
  const list = format === 'responses' ? input : messages;
  const items = typeof list === 'string' ? [{ role: 'user', content: list }] : listOf(list);
  const [first, ...others] = items;
  const own = systemText(system);
  const leading = own === undefined && isSystem(first) ? systemText(first['content']) : undefined;
  return {
    system: own ?? leading,
    tools: Array.isArray(tools) ? listOf(tools) : undefined,
    messages: keptItems(format, leading === undefined ? items : others),
  };
}

/** Items in a row from the model, or from its tools, are one message. */
export function keptItems(format: ChatFormat, items: readonly unknown[]): KeptMessage[] {
  const all: KeptMessage[] = [];
  for (const { role, parts, item } of items.flatMap((item) => readItem(withoutCacheMark(item)))) {
    const last = all.at(-1);
    if (last?.role === role && (role === 'assistant' || role === 'tool')) {
      last.parts.push(...parts);
      last.native?.items.push(item);
    } else {
      all.push({ role, parts, native: { format, items: [item] } });
    }
  }
  return all;
}

interface Item extends Pick<KeptMessage, 'role' | 'parts'> {
  readonly item: unknown;
}

function readItem(value: unknown): Item[] {
  const item = typeof value === 'string' ? { role: 'user', content: value } : recordOf(value);
  const { content, reasoning_content: reasoning, role, tool_calls: calls, type } = item;
  const kind = textOf(type) ?? 'message';
  if (role === 'tool' || kind.endsWith('_output')) {
    return [{ role: 'tool', parts: [resultOf(item)], item }];
  }
  const isCall = kind.endsWith('_call') || kind === 'reasoning';
  if (isCall) return [{ role: 'assistant', parts: [partOf(item)], item }];
  const blocks = typeof content === 'string' ? [content] : listOf(content);
  if (role === 'assistant') {
    const thought = textOf(reasoning);
    const parts = [...blocks, ...listOf(calls)].map(partOf);
    if (thought) parts.unshift({ type: 'reasoning', text: thought });
    return [{ role, parts, item }];
  }
  const asker = role === 'system' || role === 'developer' ? 'system' : 'user';
  if (kind !== 'message') return [{ role: asker, parts: [partOf(item)], item }];
  // In the messages format the results of tools stand in a message of the user.
  const results = blocks.filter((block) => recordOf(block)['type'] === 'tool_result');
  if (results.length === 0) return [{ role: asker, parts: blocks.map(partOf), item }];
  const rest = blocks.filter((block) => !results.includes(block));
  const answers = { ...item, content: results };
  const more: Item = { role: 'user', parts: rest.map(partOf), item: { ...item, content: rest } };
  const result: Item = { role: 'tool', parts: results.map(resultOf), item: answers };
  return rest.length > 0 ? [result, more] : [result];
}

function partOf(value: unknown): KeptPart {
  if (typeof value === 'string') return { type: 'text', text: value };
  const block = recordOf(value);
  const type = textOf(block['type']) ?? '';
  const text = textOf(block['text']) ?? textOf(block['refusal']);
  if (text !== undefined) return { type: 'text', text };
  if (/thinking|^reasoning$/.test(type)) {
    const words = [block['thinking'], ...listOf(block['summary']), ...listOf(block['content'])];
    return { type: 'reasoning', text: words.map((one) => textOf(one) ?? inText(one)).join('') };
  }
  const image = imageOf(block);
  if (image !== undefined) return { type: 'image', url: image };
  if (!/^(tool_use|function|custom)$|_call$/.test(type)) return { type: 'text', text: `[${type}]` };
  const inner = [block['function'], block['custom']].find(isRecord) ?? block;
  return {
    type: 'tool_call',
    id: textOf(block['call_id']) ?? textOf(block['id']) ?? '',
    name: textOf(inner['name']) ?? type,
    arguments: valueText(inner['arguments'] ?? inner['input'] ?? {}),
  };
}

function resultOf(value: unknown): KeptPart {
  const { call_id: call, content, is_error: isError, output = content, ...ids } = recordOf(value);
  const id = [call, ids['tool_call_id'], ids['tool_use_id']].find((one) => typeof one === 'string');
  const parts = (typeof output === 'string' ? [output] : listOf(output)).map(partOf);
  const texts = parts.map((part) => ('text' in part ? part.text : `[${part.type}]`));
  const result = { type: 'tool_result', id: textOf(id) ?? '', text: texts.join('\n') } as const;
  return isError === true ? { ...result, isError } : result;
}

/** A URL, or the image itself as one. */
function imageOf({ type, image_url: image, source }: JsonRecord): string | undefined {
  if (!String(type).includes('image')) return undefined;
  const { data, media_type: mediaType, url = image } = recordOf(source ?? image);
  if (typeof data === 'string') return `data:${textOf(mediaType) ?? ''};base64,${data}`;
  return textOf(url);
}

const inText = (value: unknown): string => textOf(recordOf(value)['text']) ?? '';

function isSystem(item: unknown): item is JsonRecord {
  const { role, type = 'message' } = recordOf(item);
  return type === 'message' && (role === 'system' || role === 'developer');
}

/** Undefined where there is none. */
function systemText(system: unknown): string | undefined {
  if (typeof system === 'string') return system;
  const texts = listOf(system).map(inText);
  // A line for the service's statistics, another one in each request.
  const own = texts.filter((one) => one !== '' && !one.startsWith('x-anthropic-billing-header'));
  return own.length > 0 ? own.join('\n\n') : undefined;
}

/** Programs mark other messages in each request, and a service takes few marks. */
function withoutCacheMark(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { cache_control: mark, content, ...item } = value;
  if (!Array.isArray(content)) return mark === undefined ? value : { ...item, content };
  return { ...item, content: listOf(content).map(withoutCacheMark) };
}
