/** The ways an answer is shown: text as it arrives, events as they happen, or one object. */
import { gather, type Answer } from '../../api/chat/answer.js';
import type { AnswerListener } from '../../api/chat/listener.js';
import type { Context } from '../../cli/context.js';
import { Incomplete, SvcError } from '../../errors.js';
import { formatRub } from '../../lib/amounts.js';
import { FirstCodeBlock } from '../../lib/code-block.js';
import { warnIfLow } from '../low-balance.js';
import { openNewFile } from '../../files/new-file.js';
import type { TextSink } from '../../terminal/types.js';
import type { ChatInput } from './ask.js';
import { eventChannel, reasoningChannel, tee, textChannel } from './channels.js';
import { answerJson, costLine, endNote, toolCallJson, type ChatCost } from './report.js';
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
  const { output, events: asEvents } = options;
  const path = output === undefined || output === '-' ? undefined : output;
  const file = path && (await openNewFile(path, { replace: options.force === true, clock }));
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

  const tellMachine = async (end: End, complete: boolean, error?: unknown) => {
    const extracted = block && !text ? { code: block.push(answer.text) + block.end() } : {};
    const whole = {
      ...answerJson({ ...end, answer, complete }),
      ...extracted,
      ...(error ? told(error) : {}),
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
    const note = endNote(answer.finishReason);
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
    if (!file) return;
    const { keptBytes } = await file.abandon();
    if (keptBytes > 0) out.note(`the text so far is in ${file.partPath}`);
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
        throw noCodeBlock(forPeople);
      }
      await (file && file.finish());
    },
    fail: async (end, error) => {
      // The flush fails where the disk is full.
      await flush().finally(leaveFile);
      // What is no failure of ours, as a dry run, has its own words.
      if (!(error instanceof SvcError)) return;
      if (events || (flags.json && isBegun(answer))) await tellMachine(end, false, error);
      else if (forPeople) await endLine();
      showUnextracted();
      const { searchRub } = end.cost;
      if (forPeople && out.isErrorTerminal && searchRub !== undefined) {
        out.dim(`search ${formatRub(searchRub)}`);
      }
    },
  };
}

function isBegun({ text, reasoning, toolCalls }: Answer): boolean {
  return text !== '' || reasoning !== '' || toolCalls.length > 0;
}

function told(error: unknown): { error: { code?: string; message: string } } {
  const message = error instanceof Error ? error.message : String(error);
  return { error: { code: error instanceof SvcError ? error.code : undefined, message } };
}

function noCodeBlock(forPeople: boolean): Incomplete {
  return new Incomplete('the answer holds no fenced code block', {
    code: 'no_code_block',
    hint: forPeople
      ? 'the whole answer stands above, on stderr'
      : 'the whole answer stands on stdout, in the field text',
  });
}
