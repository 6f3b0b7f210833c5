/** The ways an answer is shown: text as it arrives, events as they happen, or one object. */
import {
  gather,
  type Answer,
  type ToolCall,
  type AnswerListener,
  type AnswerPieces,
  type SomeListener,
} from '../../api/chat/answer.js';
import type { Cost } from '../../api/cost.js';
import { weigh } from '../../api/json-reply.js';
import type { Context } from '../../cli/context.js';
import { Incomplete, SvcError } from '../../errors.js';
import { PartFile } from '../../files/part-file.js';
import { formatRub } from '../../lib/amounts.js';
import { FirstCodeBlock } from '../../lib/code-block.js';
import { TextBatch } from '../../terminal/writer.js';
import { sanitiseJson } from '../../terminal/screen.js';
import type { TextSink, Output } from '../../terminal/types.js';
import { warnIfLow } from '../../jobs/cost.js';
import type { ChatInput } from './ask.js';
import type { Found } from './search.js';

/** What is known of the call once its answer has ended. */
export interface End {
  cost: ChatCost;
  /** Ids of the reply's headers, by name. */
  ids: Readonly<Record<string, string>>;
  /** What was searched for before, and came of it. */
  found?: Found;
}

export interface Show {
  readonly listener: AnswerListener;
  /** Loads what the answer is shown with, while it is awaited: before its first piece. */
  ready(): Promise<void>;
  /** Holds the stream back while a reader is slow; throws what a write threw. */
  pace(): void | Promise<void>;
  /** Whether somebody will see the cost. */
  readonly wantsCost: boolean;
  /** All of the text that came has been handed over. */
  flush(): Promise<void>;
  /** The answer is whole. @throws Incomplete when -x found no code block. */
  finish(end: End): Promise<void>;
  /** The answer broke off; what came of it is kept. */
  fail(end: End, error: unknown): Promise<void>;
}

/**
 * Opens what the answer goes to, before anything is sent.
 * @throws LocalFileError when -o names a file that exists or cannot be written.
 */
export async function openShow(context: Context, options: ChatInput['options']): Promise<Show> {
  const { out, flags, clock } = context;
  const { output, events: asEvents, force: replace = false } = options;
  const path = output === undefined || output === '-' ? undefined : output;
  const file = path && (await PartFile.open({ kind: 'file', path, replace }, { clock }));
  const forPeople = !flags.json && !asEvents;
  const block = options.extract ? new FirstCodeBlock() : undefined;
  // The whole text is kept only where it is needed: a long answer must not fill the memory.
  const { answer, listener } = gather({ keepText: !forPeople || block !== undefined });
  // Code alone is no Markdown.
  const markdown = forPeople && !file && !block;
  let sink: TextSink = { write: (piece) => out.text(piece), end: () => undefined };
  const write = (piece: string) => (file ? file.write(piece) : sink.write(piece));
  // For programs the text goes into the object at the end.
  const text = file || forPeople ? textChannel(write, block) : undefined;
  const reasoning = forPeople && options.reasoning ? reasoningChannel(out, text) : undefined;
  const events = asEvents ? eventChannel(out) : undefined;
  const channels = [reasoning, text, events].filter((channel) => channel !== undefined);
  const flush = async () => {
    for (const channel of channels) await channel.flush();
    await sink.end();
  };

  const tellMachine = async (end: End, complete: boolean, error?: SvcError) => {
    const whole = {
      ...answerJson(answer, end, complete),
      ...(block && !text ? { code: block.push(answer.text) + block.end() } : {}),
      ...(error && { error: { code: error.code, message: error.message } }),
    };
    if (events) await events.done(whole);
    else if (flags.json) await out.json(whole);
  };
  /** A terminal's next line starts at its left edge; a pipe gets the answer's bytes alone. */
  const endLine = async () => {
    const open = text && !file && !['', '\n'].includes(text.lastCharacter);
    if (open && out.isTerminal) await out.text('\n');
  };
  const tellPeople = async ({ cost, found }: End) => {
    await endLine();
    for (const call of answer.toolCalls) await out.jsonLine(toolCallJson(call));
    const note = endNotes.get(answer.finishReason ?? '');
    if (note) out.note(note);
    if (out.isErrorTerminal) for (const source of found?.sources ?? []) out.dim(source);
    const line = costLine(answer, cost);
    if (out.isErrorTerminal && line) out.dim(line);
  };

  /** Of what was to be code, for people: a text that cost something is never thrown away. */
  const showUnextracted = () => {
    if (forPeople && block && !block.found && answer.text !== '') out.error(answer.text);
  };
  const leaveFile = async () => {
    const left = file ? await file.abandon() : undefined;
    if (file && left?.keptBytes) out.note(`the text so far is in ${file.partPath}`);
  };

  return {
    listener: tee([listener, ...channels.map((channel) => channel.listener)]),
    ready: async () => {
      if (markdown) sink = await out.markdown();
    },
    wantsCost: !forPeople || (out.isErrorTerminal && !flags.quiet),
    pace: () => {
      for (const channel of channels) {
        const slow = channel.pace();
        if (slow) return slow;
      }
    },
    flush,
    finish: async (end) => {
      await flush();
      await (forPeople ? tellPeople(end) : tellMachine(end, true));
      warnIfLow(context, end.cost.balanceRub);
      if (block && !block.found) {
        if (file) await file.abandon();
        showUnextracted();
        throw new Incomplete('the answer holds no fenced code block', {
          code: 'no_code_block',
          hint: forPeople
            ? 'the whole answer stands above, on stderr'
            : 'the whole answer stands on stdout, in the field text',
        });
      }
      await (file && file.finish());
    },
    fail: async (end, error) => {
      // The flush fails where the disk is full.
      await flush().finally(leaveFile);
      // What is no failure of ours, as a dry run, has its own words.
      if (!(error instanceof SvcError)) return;
      const isBegun = answer.text !== '' || answer.reasoning !== '' || answer.toolCalls.length > 0;
      if (events || (flags.json && isBegun)) await tellMachine(end, false, error);
      else if (forPeople) await endLine();
      showUnextracted();
      const { searchRub } = end.cost;
      if (forPeople && out.isErrorTerminal && searchRub !== undefined) {
        out.dim(`search ${formatRub(searchRub)}`);
      }
    },
  };
}

/** Where the pieces of an answer go as they arrive; each channel minds its own slow reader. */
interface Channel {
  readonly listener: SomeListener;
  pace(): void | Promise<void>;
  /** Hands over what is left when the answer has ended, whole or not. */
  flush(): Promise<void>;
}

interface TextChannel extends Channel {
  /** What the text so far ends with; empty when there is none. */
  readonly lastCharacter: string;
  /** Hands over what has come so far, before something else does. */
  send(): void;
}

/** The answer's text, or with `block` only its first fenced code block. */
function textChannel(
  write: (text: string) => void | Promise<void>,
  block: FirstCodeBlock | undefined,
): TextChannel {
  const batch = new TextBatch(write);
  let lastCharacter = '';
  const add = (text: string) => {
    if (text === '') return;
    lastCharacter = text.slice(-1);
    batch.add(text);
  };
  return {
    get lastCharacter() {
      return lastCharacter;
    },
    listener: { text: (text) => add(block ? block.push(text) : text) },
    send: () => batch.send(),
    pace: () => batch.pace(),
    flush: () => {
      if (block) add(block.end());
      return batch.flush();
    },
  };
}

/** Reasoning for people, apart from the text, but in order with it. */
function reasoningChannel(out: Output, text: TextChannel | undefined): Channel {
  const batch = new TextBatch((text) => out.aside(text));
  return {
    listener: {
      reasoning: (piece) => {
        text?.send();
        batch.add(piece);
      },
      text: () => batch.send(),
    },
    pace: () => undefined,
    flush: () => batch.flush(),
  };
}

/** Every event as a line of JSON; `done` writes the last. */
export function eventChannel(
  out: Output,
): Channel & { done(end: Record<string, unknown>): Promise<void> } {
  const batch = new TextBatch((text) => out.text(text));
  const line = (type: string, fields: object) => {
    const json = JSON.stringify(Object.assign({ type }, fields, { type }));
    // Escaped, so that it is the same value on a terminal.
    batch.add(`${out.isTerminal ? sanitiseJson(json) : json}\n`);
  };
  return {
    listener: {
      text: (text) => line('text', { text }),
      reasoning: (text) => line('reasoning', { text }),
      tool: (piece) => line('tool_call', piece),
      usage: (usage) => line('usage', usage),
      finish: (reason) => line('finish', { reason }),
    },
    pace: () => batch.pace(),
    flush: () => batch.flush(),
    done: (end) => {
      line('done', end);
      return batch.flush();
    },
  };
}

/** One listener that tells them all, in order. */
function tee(listeners: readonly SomeListener[]): AnswerListener {
  const all =
    <Kind extends keyof AnswerPieces>(kind: Kind) =>
    (piece: AnswerPieces[Kind]) => {
      for (const listener of listeners) listener[kind]?.(piece);
    };
  return {
    text: all('text'),
    reasoning: all('reasoning'),
    tool: all('tool'),
    usage: all('usage'),
    finish: all('finish'),
    rest: all('rest'),
    about: all('about'),
  };
}

/** Of the answer, and of the search before it. */
interface ChatCost extends Cost {
  searchRub?: number;
}

/** `12 in, 34 out tokens · 0.0123 RUB · balance 999.99 RUB`; empty when nothing is known. */
function costLine({ usage }: Answer, { priceRub, searchRub, balanceRub }: ChatCost): string {
  const { inputTokens, outputTokens } = usage ?? {};
  const isCounted = inputTokens !== undefined || outputTokens !== undefined;
  return [
    ...(isCounted ? [`${inputTokens ?? '?'} in, ${outputTokens ?? '?'} out tokens`] : []),
    ...(priceRub === undefined ? [] : [formatRub(priceRub)]),
    ...(searchRub === undefined ? [] : [`search ${formatRub(searchRub)}`]),
    ...(balanceRub === undefined ? [] : [`balance ${formatRub(balanceRub)}`]),
  ].join(' · ');
}

const tokenLimit = 'the answer reached its token limit; --max-tokens raises it';

/** Why the answer ended, when it did not end by itself. */
const endNotes = new Map([
  ['length', tokenLimit],
  ['max_tokens', tokenLimit],
  ['max_output_tokens', tokenLimit],
  ['incomplete', tokenLimit],
  ['content_filter', 'the answer was stopped by a content filter'],
  ['refusal', 'the model refused to answer'],
]);

/** A tool call for programs: the arguments as JSON where they are JSON. */
export function toolCallJson(call: ToolCall): unknown {
  return { id: call.id, name: call.name, arguments: parsed(call.arguments) };
}

function parsed(text: string): unknown {
  if (text.trim() === '') return {};
  const { values, depth } = weigh(Buffer.from(text));
  // Nested so deeply, its indentation would be far more than itself.
  if (values * depth > 4 * text.length + 1000) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The object of --json, and of the last event of --events; `complete` unless it broke off. */
function answerJson(answer: Answer, { cost, ids, found }: End, complete: boolean) {
  return {
    id: answer.id,
    model: answer.model,
    text: answer.text,
    reasoning: answer.reasoning,
    toolCalls: answer.toolCalls.map(toolCallJson),
    finishReason: answer.finishReason,
    complete,
    usage: answer.usage,
    search: found && { query: found.query, results: found.results },
    cost,
    ids,
    raw: answer.rest && parsed(JSON.stringify(answer.rest)),
  };
}
