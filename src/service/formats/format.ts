/** Shared by the wire formats: how content is read, and how an answer becomes a body. */
import * as z from 'zod/mini';
import { toolChoices } from '../../contract/enums.js';
import type { Clock } from '../../lib/clock.js';
import { textOf, type JsonRecord } from '../../lib/json.js';
import { parse } from '../body.js';
import { streamOf } from '../call.js';
import type { Event, Part, Plan, Prompt, Turn } from '../engines/engine.js';
import { pieces } from '../engines/plan.js';
import { asText, describeImage, describeImageAt } from '../engines/prompts.js';
import { badRequest } from '../failure.js';

const Block = z.looseObject({ type: z.string() });
export const Content = z.union([z.string(), z.array(Block)]);

type Block = z.output<typeof Block>;
type Content = z.output<typeof Content>;

const Text = z.looseObject({ text: z.string() });
const ImageUrl = z.looseObject({
  image_url: z.union([z.string(), z.looseObject({ url: z.string() })]),
});
const Image = z.looseObject({
  source: z.union([
    z.looseObject({ type: z.literal('base64'), media_type: z.string(), data: z.string() }),
    z.looseObject({ type: z.literal('url'), url: z.string() }),
  ]),
});

/** The parts of a content; parts that cannot be read here are refused, never dropped. */
export function readContent(
  content: Content | null | undefined,
  place: string,
  readOwn: (block: Block, place: string) => Part | undefined = () => undefined,
): Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return (content ?? []).flatMap((block, i) => {
    const at = `${place}[${i}]`;
    return readOwn(block, at) ?? readBlock(block, at);
  });
}

function readBlock(block: Block, place: string): Part | [] {
  switch (block.type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return { type: 'text', text: parse(Text, block, place).text };
    case 'image_url':
    case 'input_image': {
      const { image_url: image } = parse(ImageUrl, block, place);
      const url = typeof image === 'string' ? image : image.url;
      return { type: 'image', text: describeImageAt(url, `${place}.image_url`) };
    }
    case 'image': {
      const { source } = parse(Image, block, place);
      const at = `${place}.source`;
      if (source.type === 'url') return { type: 'image', text: describeImageAt(source.url, at) };
      return { type: 'image', text: describeImage(source.media_type, source.data, at) };
    }
    // A model's own thoughts, returned to it, are not needed.
    case 'thinking':
    case 'redacted_thinking':
      return [];
    default:
      throw unknownBlock(block.type, place);
  }
}

export function unknownBlock(type: string, place: string) {
  const shown = JSON.stringify(type.slice(0, 60));
  return badRequest(`${place} is of the type ${shown}, which is not supported here`, place);
}

export interface ConversationItem {
  readonly role: Turn['role'] | 'system';
  readonly parts: readonly Part[];
}

/** Separates the system prompts from the turns, wherever they are. */
export function conversation(said: readonly ConversationItem[]): Pick<Prompt, 'system' | 'turns'> {
  const system = said.flatMap(({ role, parts }) => (role === 'system' ? parts : []));
  const turns = said.flatMap(({ role, parts }) => (role === 'system' ? [] : [{ role, parts }]));
  return { system: system.map((part) => asText([part])), turns };
}

/** A message of the role tool (section 2.2); only the chat format requires its call. */
export function toolTurn(message: JsonRecord, parts: readonly Part[]): Turn {
  const results = parts.filter(({ type }) => type === 'toolResult');
  if (results.length > 0) return { role: 'tool', parts: results };
  const id = textOf(message['tool_call_id']) ?? '';
  return { role: 'tool', parts: [{ type: 'toolResult', id, text: asText(parts) }] };
}

export const ToolName = z.string().check(z.minLength(1));
export const FunctionTool = z.looseObject({ name: ToolName, parameters: z.optional(z.unknown()) });

/** One of the words, or the name of a tool (section 2.3: "or a specific tool"). */
export function readToolChoice(
  choice: string | { readonly name: string } | null | undefined,
): Prompt['toolChoice'] {
  if (typeof choice !== 'string') return choice ? { name: choice.name } : 'auto';
  return toolChoices.find((known) => known === choice) ?? { name: choice };
}

/** @param type the format's name of the form */
export function readOutput(type: string | undefined, schema: unknown): Prompt['output'] {
  if (type === 'json_schema') return { form: 'schema', schema };
  return { form: type === 'json_object' ? 'json' : 'text' };
}

/** An effort's words are those of the contract. */
export function readEffort(effort: string | null | undefined): Prompt['reasoning'] {
  if (effort === undefined || effort === null) return { mode: 'unasked' };
  return effort === 'none' ? { mode: 'off' } : { mode: 'on', effort };
}

export interface Head {
  /** Unique to this answer; each format adds its own prefix. */
  readonly id: string;
  readonly model: string;
  readonly createdAtMs: number;
  /** The request's id, for errors within a stream. */
  readonly requestId: string;
}

/** How a format writes an answer; made from a request, whose settings it may repeat. */
export interface Writer {
  complete(plan: Plan, head: Head): unknown;
  /** The frames of each event; `finish` returns the format's terminator. */
  stream(plan: Plan, head: Head): (event: Event) => string;
}

export function dataFrame(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** The name is also in the data, as its type. */
export function namedFrame(type: string, rest: object = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;
}

/** Drops the connection within a body, as a script says. */
class Dropped extends Error {
  override readonly name = 'Dropped';
}

/** As many characters as are ready; ready ones never wait for more. */
const mostAtOnce = 16 * 1024;

/** An event stream: events leave when due, and the reader sets the pace. */
export function streamBody(plan: Plan, write: ReturnType<Writer['stream']>, clock: Clock) {
  const stop = new AbortController();
  const body = frames(plan, write, (ms) => clock.sleep(ms, stop.signal));
  return streamOf(body, () => stop.abort(new Dropped('the reader is gone')));
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
      if (ready !== '' && (waitMs > 0 || ready.length >= mostAtOnce)) {
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
  if (cut === 'drop') throw new Dropped('the script cuts the stream here');
}

/** The first half of a text that a script cuts: the connection drops, or the body just ends. */
export async function* halfBody(text: string, how: 'drop' | 'end'): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(new TextEncoder().encode(text.slice(0, text.length / 2)));
  if (how === 'drop') throw new Dropped('the script cuts the answer here');
}
