/** Shows an answer: text as it arrives, events as they happen, or one object. */
import { Answer, type ToolCall } from '../../api/chat/answer.js';
import { jsonOrText, type Piece, type Usage } from '../../api/chat/pieces.js';
import type { Cost } from '../../api/cost.js';
import type { Context } from '../../context.js';
import { Incomplete, SvcError } from '../../errors.js';
import { PartFile } from '../../files/part-file.js';
import { isCostSeen, warnIfLow, writeCost } from '../../jobs/cost.js';
import { formatRub } from '../../lib/amounts.js';
import { FirstCodeBlock } from '../../lib/code-block.js';
import { isRecord, toJson, type JsonRecord } from '../../lib/json.js';
import { weigh } from '../../lib/json-weight.js';
import { sanitiseJson } from '../../terminal/screen.js';
import type { Output, TextSink } from '../../terminal/types.js';
import { TextBatch } from '../../terminal/writer.js';
import type { ChatInput } from './index.js';
import type { Found } from './search.js';

export interface End {
  cost: Cost & { searchRub?: number };
  ids: Readonly<Record<string, string>>;
  found?: Found;
  /** Its place in the log. */
  logged?: { conversation: string; turn: number };
  /** The answer to a second question, after one that did not fit its schema. */
  repaired?: true;
  /** The results of its calls are sent next. */
  isContinued?: boolean;
  /** The turns before it, whose calls svc has run. */
  earlier?: {
    readonly turns: number;
    readonly usage: Usage | undefined;
    readonly calls: readonly object[];
  };
}

export type Show = Awaited<ReturnType<typeof openShow>>;

export async function openShow(context: Context, options: ChatInput['options']) {
  const { out, flags, clock } = context;
  const { output, events: asEvents, force: replace = false } = options;
  const path = output === '-' ? undefined : output;
  const file = path && (await PartFile.open({ kind: 'file', path, replace }));
  const forPeople = !flags.json && !asEvents;
  const block = options.extract ? new FirstCodeBlock() : undefined;
  // The text is kept only where it is needed: a long answer must not fill the memory.
  const keepsText = !forPeople || block !== undefined;
  let answer = new Answer(keepsText, keepsText);
  let sink = asItIs(out);
  const hasText = forPeople || file;
  const texts = new TextBatch((text) => (file ? file.write(text) : sink.write(text)));
  const asides = new TextBatch((text) => out.aside(text));
  const events = new TextBatch((text) => out.text(text));
  /** Aborts when there is something to see. */
  let waiting = new AbortController();
  let [isWaiting, isSpinning] = [false, false];
  /** Once, because an abort takes time: before the text is written only if there is a spinner. */
  const endWait = () => {
    if (isSpinning) waiting.abort();
    else if (isWaiting) setImmediate(() => waiting.abort());
    isWaiting = isSpinning = false;
  };
  const lineOf = (value: unknown) => eventLine(value, out.isScreen);
  let lastCharacter = '';
  const addText = (text: string) => {
    if (text === '') return;
    if (!file) endWait();
    lastCharacter = text.at(-1) ?? '';
    texts.add(text);
  };
  let asked = '';
  /** What has arrived since the service last counted the tokens. */
  let uncountedBytes = 0;
  const flush = async () => {
    endWait();
    await asides.flush();
    if (hasText && block) addText(block.end());
    await texts.flush();
    await events.flush();
    await sink.end();
  };

  const endForMachine = async (end: End, error?: SvcError) => {
    const whole = {
      ...answerJson(answer, end, error === undefined),
      ...(block && !hasText ? { code: block.push(answer.text) + block.end() } : {}),
      ...(error && { error: { code: error.code, message: error.message } }),
    };
    if (!asEvents) return out.json(whole);
    events.add(lineOf({ type: 'done', ...whole }));
    await events.flush();
  };
  /** Ends the last line of reasoning and text; -o keeps the bytes of the text unchanged. */
  const endLine = async () => {
    const isExact = path !== undefined || (output === '-' && !out.isTerminal);
    await out.text(isExact || ['', '\n'].includes(lastCharacter) ? '' : '\n');
  };
  const showCost = ({ cost: { searchRub, ...cost }, earlier }: End, usage?: Usage) => {
    if (!forPeople) return;
    const search = searchRub === undefined ? [] : [`search ${formatRub(searchRub)}`];
    const turns = earlier?.turns ? [`${earlier.turns + 1} turns`] : [];
    const tokens = tokenWords(usageSum(earlier?.usage, usage));
    const counted = options.interactive && tokens.length > 0 ? [asked, ...tokens] : tokens;
    writeCost(context, cost, [...turns, ...counted, ...search]);
  };
  const endForPeople = async (end: End) => {
    await endLine();
    for (const call of answer.toolCalls) await out.jsonLine(toolCallJson(call));
    const note = endNote(answer.finishReason);
    if (note) out.note(note);
    if (out.isErrorTerminal) for (const source of end.found?.sources ?? []) out.dim(source);
    showCost(end, answer.usage);
  };
  /** An answer without a code block has been paid for, so it is still shown. */
  const showUnextracted = () => {
    if (forPeople && block && !block.found && answer.text !== '') out.error(answer.text);
  };

  return {
    /** The whole answer, where it is kept to show it. */
    get kept() {
      return keepsText ? answer : undefined;
    },
    wantsCost: !forPeople || isCostSeen(context),
    /** Shows a spinner after 300 ms, until the answer begins. */
    wait: async (model: string): Promise<void> => {
      asked = model;
      waiting = new AbortController();
      isWaiting = out.reportsProgress || (forPeople && out.isErrorTerminal);
      if (isWaiting) await clock.sleep(300, waiting.signal);
      isSpinning = isWaiting;
      if (isSpinning) await out.spinner(`waiting for ${model}`, waiting.signal);
    },
    /** Loads the code that shows the answer, while svc waits for it. */
    ready: async (): Promise<void> => {
      if (forPeople && !file && !block) sink = await answerSink(out, options);
    },
    take: (piece: Piece): void => {
      answer.add(piece);
      const isText = piece.type === 'text';
      // Reasoning goes to stderr, but in order with the text.
      if (isText) asides.send();
      if (piece.type === 'usage') uncountedBytes = 0;
      if ('text' in piece) uncountedBytes += Buffer.byteLength(piece.text);
      if (forPeople && options.reasoning && piece.type === 'reasoning') {
        endWait();
        texts.send();
        asides.add(piece.text);
      }
      if (isText && hasText) addText(block ? block.push(piece.text) : piece.text);
      const event = asEvents ? eventOf(piece) : undefined;
      if (event) events.add(lineOf(event));
    },
    /** Holds the stream back while a reader is slow. @throws the failure of a write */
    pace: (): void | Promise<void> => texts.pace() ?? events.pace(),
    flush,
    finish: async (end: End): Promise<void> => {
      if (end.isContinued) {
        const isOpen = !['', '\n'].includes(lastCharacter);
        if (hasText && isOpen) await (file ? file.write('\n') : out.text('\n'));
        lastCharacter = '';
        answer = new Answer(keepsText, keepsText);
        return;
      }
      await (forPeople ? endForPeople(end) : endForMachine(end));
      warnIfLow(context, end.cost.balanceRub);
      if (block && !block.found) {
        if (file) await file.abandon();
        showUnextracted();
        const place = forPeople ? 'above, on stderr' : 'on stdout, in the field text';
        const hint = `the whole answer is ${place}`;
        const message = 'the answer contains no fenced code block';
        throw new Incomplete(message, { code: 'no_code_block', hint });
      }
      await (file && file.finish());
    },
    fail: async (end: End, error: unknown): Promise<void> => {
      await flush().finally(async () => {
        const left = file ? await file.abandon() : undefined;
        if (file && left?.keptBytes) out.note(`the text so far is in ${file.partPath}`);
      });
      // Anything else, such as a dry run, is reported by others.
      if (!(error instanceof SvcError)) return;
      const hasBegun = answer.text !== '' || answer.reasoning !== '' || answer.toolCalls.length > 0;
      const hasRun = hasBegun || (end.earlier?.calls.length ?? 0) > 0;
      if (asEvents || (flags.json && hasRun)) await endForMachine(end, error);
      else if (forPeople) await endLine();
      showUnextracted();
      showCost(end);
    },
    /** What Ctrl-C ended; a token has about four bytes. */
    interrupted: (): string => {
      const tokens = (answer.usage?.outputTokens ?? 0) + Math.ceil(uncountedBytes / 4);
      const count = `${uncountedBytes > 0 ? 'about ' : ''}${tokens} output`;
      if (tokens === 0) return 'the interrupted request';
      return `stopped after ${count} ${tokens === 1 ? 'token' : 'tokens'}, which`;
    },
  };
}

function asItIs(out: Output): TextSink {
  return { write: (text) => out.text(text), end: () => undefined };
}

/** Where an answer goes: on a terminal it is rendered, unless it is JSON. */
export function answerSink(out: Output, options: ChatInput['options']) {
  const { jsonObject, plain, schema, schemaMulti } = options;
  const isSource = (jsonObject ?? plain ?? schema ?? schemaMulti) !== undefined;
  return isSource ? asItIs(out) : out.markdown();
}

function eventOf(piece: Piece): object | undefined {
  const { type } = piece;
  if (type === 'rest' || type === 'item' || type === 'about' || type === 'end') return undefined;
  return type === 'usage' ? Object.assign({ type }, piece.usage, { type }) : piece;
}

/** A line of JSON; on a terminal its control characters are escaped. */
export function eventLine(event: unknown, isTerminal: boolean): string {
  const json = toJson(event);
  return `${isTerminal ? sanitiseJson(json) : json}\n`;
}

/** `10 in, 20 out tokens`; empty when none were counted. */
export function tokenWords({ inputTokens, outputTokens }: Usage = {}): string[] {
  if (inputTokens === undefined && outputTokens === undefined) return [];
  return [`${inputTokens ?? '?'} in, ${outputTokens ?? '?'} out tokens`];
}

/** The counts of two answers, also those in their details. */
export function usageSum<Counts extends JsonRecord>(one?: Counts, other?: Counts) {
  if (!one || !other) return one ?? other;
  const sums = Object.entries(other).map(
    ([name, count]) => [name, countSum(one[name], count)] as const,
  );
  return { ...one, ...other, ...Object.fromEntries(sums) };
}

function countSum(one: unknown, other: unknown): unknown {
  if (typeof one === 'number' && typeof other === 'number') return one + other;
  return isRecord(one) && isRecord(other) ? usageSum(one, other) : other;
}

export function endNote(reason = ''): string | undefined {
  if (reason === 'content_filter') return 'a content filter stopped the answer';
  if (reason === 'refusal') return 'the model refused to answer';
  return /^(length|max_tokens|max_output_tokens|incomplete)$/.test(reason)
    ? 'the answer reached its token limit; --max-tokens raises it'
    : undefined;
}

/** A tool call, with its arguments as a value where they are JSON. */
export function toolCallJson(call: ToolCall): unknown {
  return { id: call.id, name: call.name, arguments: parsed(call.arguments) };
}

/** JSON as a value, unless it is deeply nested; another text unchanged. */
export function parsed(text: string): unknown {
  if (text.trim() === '') return {};
  const { values, depth } = weigh(Buffer.from(text));
  // The indentation of deeply nested JSON would be much larger than its content.
  if (values * depth > 4 * text.length + 1000) return text;
  return jsonOrText(text);
}

export function answerJson(
  answer: Answer,
  { cost, ids, found, logged, repaired, earlier }: End,
  complete: boolean,
) {
  const { id, model, text, reasoning, toolCalls, finishReason, usage, rest } = answer;
  return {
    id,
    model,
    text,
    reasoning,
    toolCalls: toolCalls.map(toolCallJson),
    finishReason,
    complete,
    repaired,
    usage: usageSum(earlier?.usage, usage),
    search: found && { query: found.query, results: found.results },
    cost,
    ids,
    raw: rest && parsed(toJson(rest)),
    turns: earlier && earlier.turns + 1,
    calls: earlier?.calls,
    ...logged,
  };
}
