/** Shared by the wire formats: how content is read, and how an answer becomes a body. */
import * as z from 'zod/mini';
import { toolChoices } from '../../contract/enums.js';
import type { Clock } from '../../lib/clock.js';
import { isRecord, listOf, recordOf, textOf, toJson, valueText } from '../../lib/json.js';
import type { JsonRecord } from '../../lib/json.js';
import { parse } from '../body.js';
import { streamOf } from '../call.js';
import type { Event, Part, Plan, Prompt, Tool, Turn } from '../engines/engine.js';
import { pieces } from '../engines/plan.js';
import { asText, describeImage, describeImageAt } from '../engines/prompts.js';

const Text = z.looseObject({ text: z.string() });

/** The parts of a content; its blocks may have any form (section 2.2 names two of them). */
export function readContent(
  content: unknown,
  place: string,
  readOwn: (block: JsonRecord, place: string) => Part | undefined = () => undefined,
): Part[] {
  const blocks = typeof content === 'string' || isRecord(content) ? [content] : listOf(content);
  return blocks.flatMap((item, i) => {
    const at = `${place}[${i}]`;
    const block = typeof item === 'string' ? { type: 'text', text: item } : recordOf(item);
    return readOwn(block, at) ?? readBlock(block, at);
  });
}

function readBlock(block: JsonRecord, place: string): Part | [] {
  switch (block['type']) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return { type: 'text', text: parse(Text, block, place).text };
    case 'image_url':
    case 'input_image': {
      const { image_url: image } = block;
      const url = textOf(image) ?? textOf(recordOf(image)['url']);
      return url === undefined ? unread(block) : linked(url, `${place}.image_url`);
    }
    case 'image': {
      const { type, url, media_type: mediaType, data } = recordOf(block['source']);
      const at = `${place}.source`;
      if (type === 'url' && typeof url === 'string') return linked(url, at);
      if (type !== 'base64' || typeof data !== 'string') return unread(block);
      return { type: 'attachment', text: describeImage(textOf(mediaType) ?? '', data, at) };
    }
    // A model's own thoughts, returned to it, are not needed.
    case 'thinking':
    case 'redacted_thinking':
      return [];
    default:
      return unread(block);
  }
}

function linked(url: string, place: string): Part {
  return { type: 'attachment', text: describeImageAt(url, place) };
}

/** A block of a type that is not known here: its text, or a sentence that it came. */
function unread({ type, text }: JsonRecord): Part {
  if (typeof text === 'string') return { type: 'text', text };
  const shown = JSON.stringify(textOf(type)?.slice(0, 60) ?? 'unknown');
  const sentence = `Received a block of the type ${shown}, which the embedded service does not read.`;
  return { type: 'attachment', text: sentence };
}

export interface ConversationItem {
  readonly role: Turn['role'] | 'system';
  readonly parts: readonly Part[];
}

/** Separates the system prompts from the turns, wherever they are. */
export function conversation(
  messages: readonly ConversationItem[],
): Pick<Prompt, 'system' | 'turns'> {
  const system = messages.flatMap(({ role, parts }) => (role === 'system' ? parts : []));
  const turns = messages.flatMap(({ role, parts }) => (role === 'system' ? [] : [{ role, parts }]));
  return { system: system.map((part) => asText([part])), turns };
}

/** A message of the role tool (section 2.2). */
export function toolTurn(parts: readonly Part[]): Turn {
  const results = parts.filter(({ type }) => type === 'toolResult');
  if (results.length > 0) return { role: 'tool', parts: results };
  return { role: 'tool', parts: [{ type: 'toolResult', text: asText(parts) }] };
}

/** A call of the past; `input` is its arguments, a text or any other value. */
export function toolCall(name: unknown, input: unknown): Part {
  return { type: 'toolCall', name: textOf(name) ?? '', json: valueText(input ?? {}) };
}

/** What a custom tool takes, as the arguments of a function. */
const oneText = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] };

/** The tools of definitions in any form (section 2.5 shows none), also of those that hold others. */
export function readTools(definitions: unknown, namespace?: string): Tool[] {
  return listOf(definitions).flatMap((definition): Tool[] => {
    const { type, tools, function: called, custom, execution } = recordOf(definition);
    const tool = recordOf(called ?? custom ?? definition);
    const { name, parameters, input_schema: schema = parameters } = tool;
    if (Array.isArray(tools)) return readTools(tools, textOf(name));
    const isNamed = typeof name === 'string' && name !== '';
    if (isNamed && type === 'custom' && schema === undefined) {
      return [{ name, parameters: oneText, namespace, kind: 'custom' }];
    }
    if (type === 'tool_search' && execution === 'client') {
      return [{ name: type, parameters: schema, kind: 'search' }];
    }
    const isFunction = type === undefined || type === 'function' || schema !== undefined;
    if (isNamed && isFunction) return [{ name, parameters: schema, namespace }];
    return [{ name: textOf(name) ?? textOf(type) ?? '', parameters: schema, kind: 'hosted' }];
  });
}

const toolWords = new Map<string, (typeof toolChoices)[number]>([
  ...toolChoices.map((word) => [word, word] as const),
  ['any', 'required'],
]);

/** One of the words, or the name of a tool (section 2.3: "or a specific tool"), in any form. */
export function readToolChoice(value: unknown): Prompt['toolChoice'] {
  if (typeof value === 'string') return toolWords.get(value) ?? { name: value };
  const choice = recordOf(value);
  const { type, mode } = recordOf(choice['allowed_tools'] ?? choice);
  const name = textOf(recordOf(choice['function'] ?? choice['custom'] ?? choice)['name']);
  const isCalled = type === undefined || /^(function|custom|tool)$/.test(textOf(type) ?? '');
  if (name !== undefined && isCalled) return { name };
  // A tool that only the service could run: its choice changes nothing.
  return toolWords.get(textOf(mode) ?? textOf(type) ?? '') ?? 'auto';
}

/** The form of a `response_format` or its namesake; of unknown ones, text. */
export function readOutput(format: unknown): Prompt['output'] {
  const { type, schema, json_schema: jsonSchema } = recordOf(format);
  const { schema: inner = schema } = recordOf(jsonSchema);
  if (type === 'json_schema') return { form: 'schema', schema: inner };
  return { form: type === 'json_object' ? 'json' : 'text' };
}

export function readStops(value: unknown): string[] {
  const stops = typeof value === 'string' ? [value] : listOf(value);
  return stops.flatMap((stop) => textOf(stop) ?? []);
}

/** An effort's words are those of the contract. */
export function readEffort(effort: string | null | undefined): Prompt['reasoning'] {
  if (effort === undefined || effort === null) return { mode: 'auto' };
  return effort === 'none' ? { mode: 'off' } : { mode: 'on', effort };
}

export interface AnswerHead {
  /** Unique to this answer; each format adds its own prefix. */
  readonly id: string;
  readonly model: string;
  readonly createdAtMs: number;
  /** The request's id, for errors within a stream. */
  readonly requestId: string;
}

/** How a format writes an answer; made from a request, whose settings it may repeat. */
export interface Writer {
  complete(plan: Plan, head: AnswerHead): unknown;
  /** The frames of each event; `finish` returns the format's terminator. */
  stream(plan: Plan, head: AnswerHead): (event: Event) => string;
}

export function dataFrame(value: unknown): string {
  return `data: ${toJson(value)}\n\n`;
}

/** The name is also in the data, as its type. */
export function namedFrame(type: string, rest: object = {}): string {
  return `event: ${type}\ndata: ${toJson({ type, ...rest })}\n\n`;
}

/** Drops the connection within a body, as a script says. */
class StreamCut extends Error {
  override readonly name = 'StreamCut';
}

/** As many characters as are ready; ready ones never wait for more. */
const maxReadyLength = 16 * 1024;

/** An event stream: events leave when due, and the reader sets the pace. */
export function streamBody(plan: Plan, write: ReturnType<Writer['stream']>, clock: Clock) {
  const stop = new AbortController();
  const body = frames(plan, write, (ms) => clock.sleep(ms, stop.signal));
  return streamOf(body, () => stop.abort(new StreamCut('the reader is gone')));
}

/** An item stays open where the stream is cut. */
async function* frames(
  { items, pace }: Plan,
  write: ReturnType<Writer['stream']>,
  sleep: (ms: number) => Promise<void>,
): AsyncGenerator<Uint8Array, void> {
  const { chunkSize, chunkDelayMs = 0, failure, cut } = pace;
  const encoder = new TextEncoder();
  let ready = write({ type: 'start' });
  let waitMs = 0;
  for (const [index, item] of items.entries()) {
    ready += write({ type: 'open', item, index });
    const whole = item.type === 'toolCall' ? item.json : item.text;
    // An empty text is still a text.
    for (const text of whole === '' ? [''] : pieces(whole, chunkSize)) {
      if (ready !== '' && (waitMs > 0 || ready.length >= maxReadyLength)) {
        yield encoder.encode(ready);
        ready = '';
      }
      if (waitMs > 0) await sleep(waitMs);
      waitMs = chunkDelayMs;
      ready += write({ type: 'delta', item, index, text });
    }
    const isLast = index === items.length - 1;
    if (!isLast || !(failure ?? cut)) ready += write({ type: 'close', item, index });
  }
  if (failure) ready += write({ type: 'failure', failure });
  else if (!cut) ready += write({ type: 'finish' });
  if (ready !== '') yield encoder.encode(ready);
  if (cut === 'drop') throw new StreamCut('the script cuts the stream here');
}

/** The first half of a text that a script cuts: the connection drops, or the body just ends. */
export async function* halfBody(text: string, how: 'drop' | 'end'): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(new TextEncoder().encode(text.slice(0, text.length / 2)));
  if (how === 'drop') throw new StreamCut('the script cuts the answer here');
}
