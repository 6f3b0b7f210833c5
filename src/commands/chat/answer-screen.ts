/** Shows an answer: text as it arrives, events as they happen, or one object. */
import { Answer } from '../../api/chat/answer.js';
import type { Piece, Usage } from '../../api/chat/pieces.js';
import {
  answerJson,
  argumentsIn,
  endNote,
  eventLine,
  tokenWords,
  toolCallJson,
  usageSum,
} from '../../chat/answer-json.js';
import type { AnswerView, TurnEnd } from '../../chat/view.js';
import type { Context } from '../../context.js';
import { Incomplete, SvcError } from '../../errors.js';
import { PartFile } from '../../files/part-file.js';
import { isCostSeen, warnIfLow, writeCost } from '../../jobs/cost.js';
import { formatRub } from '../../lib/amounts.js';
import { FirstCodeBlock } from '../../lib/code-block.js';
import { toJson } from '../../lib/json.js';
import type { Output, TextSink } from '../../terminal/types.js';
import { TextBatch } from '../../terminal/writer.js';
import type { ChatOptions } from './index.js';

export async function openAnswerScreen(context: Context, options: ChatOptions) {
  const { output, force: replace = false } = options;
  const path = output === '-' ? undefined : output;
  const file =
    path === undefined ? undefined : await PartFile.open({ kind: 'file', path, replace });
  return new AnswerScreen(context, options, file);
}

class AnswerScreen implements AnswerView {
  readonly showsCost: boolean;
  /** Whether it is read by people, and not by a program. */
  readonly #forPeople: boolean;
  /** Whether the text is written, to a file or for people. */
  readonly #hasText: boolean;
  /** The code block to print in place of the answer. */
  readonly #block: FirstCodeBlock | undefined;
  /** Whether the text is kept: only where it is needed, as a long answer must not fill the memory. */
  readonly #keepsText: boolean;
  readonly #texts = new TextBatch((text) => (this.file ?? this.#sink).write(text));
  readonly #asides = new TextBatch((text) => this.context.out.aside(text));
  readonly #events = new TextBatch((text) => this.context.out.text(text));
  readonly #wait: Wait;
  #answer: Answer;
  #sink: TextSink;
  /** The end of the text so far. */
  #tail = '';
  /** What has arrived since the service last counted the tokens. */
  #uncountedBytes = 0;

  constructor(
    private readonly context: Context,
    private readonly options: ChatOptions,
    private readonly file: PartFile | undefined,
  ) {
    const { flags, out } = context;
    this.#forPeople = !flags.json && !options.events;
    this.#hasText = this.#forPeople || file !== undefined;
    this.#block = options.extract ? new FirstCodeBlock() : undefined;
    this.#keepsText = !this.#forPeople || this.#block !== undefined;
    this.showsCost = !this.#forPeople || isCostSeen(context);
    this.#answer = new Answer(this.#keepsText, this.#keepsText);
    this.#sink = asItIs(out);
    this.#wait = new Wait(context, this.#forPeople);
  }

  get answer(): Answer | undefined {
    return this.#keepsText ? this.#answer : undefined;
  }

  wait(model: string): Promise<void> {
    return this.#wait.start(model);
  }

  async prepare(): Promise<void> {
    const { context, file, options } = this;
    if (this.#forPeople && !file && !this.#block) {
      this.#sink = await answerSink(context.out, options);
    }
  }

  add(piece: Piece): void {
    const { type } = piece;
    this.#answer.add(piece);
    const isText = type === 'text';
    // Reasoning goes to stderr, but in order with the text.
    if (isText) this.#asides.send();
    if (type === 'usage') this.#uncountedBytes = 0;
    if ('text' in piece) this.#uncountedBytes += Buffer.byteLength(piece.text);
    if (this.#forPeople && this.options.reasoning && type === 'reasoning') {
      this.#wait.end();
      this.#texts.send();
      this.#asides.add(piece.text);
    }
    if (isText && this.#hasText) {
      this.#addText(this.#block ? this.#block.push(piece.text) : piece.text);
    }
    const event = this.options.events ? eventOf(piece) : undefined;
    if (event) this.#events.add(eventLine(event, this.context.out.isScreen));
  }

  pace(): void | Promise<void> {
    return this.#texts.pace() ?? this.#events.pace();
  }

  async flush(): Promise<void> {
    this.#wait.end();
    await this.#asides.flush();
    if (this.#hasText && this.#block) this.#addText(this.#block.end());
    await this.#texts.flush();
    await this.#events.flush();
    await this.#sink.end();
  }

  async continue(): Promise<void> {
    if (this.#hasText && this.#isInLine) {
      await (this.file ? this.file.write('\n') : this.context.out.text('\n'));
    }
    this.#tail = '';
    this.#answer = new Answer(this.#keepsText, this.#keepsText);
  }

  async finish(end: TurnEnd): Promise<void> {
    const { context, file } = this;
    await (this.#forPeople ? this.#endForPeople(end) : this.#endForMachine(end));
    warnIfLow(context, end.cost.balanceRub);
    if (this.#block && !this.#block.found) {
      if (file) await file.abandon();
      this.#showUnextracted();
      const place = this.#forPeople ? 'above, on stderr' : 'on stdout, in the field text';
      const hint = `the whole answer is ${place}`;
      const message = 'the answer contains no fenced code block';
      throw new Incomplete(message, { code: 'no_code_block', hint });
    }
    await file?.finish();
  }

  async fail(end: TurnEnd, error: unknown): Promise<void> {
    const { context, file, options } = this;
    await this.flush().finally(async () => {
      const left = file ? await file.abandon() : undefined;
      if (file && left?.keptBytes) context.out.note(`the text so far is in ${file.partPath}`);
    });
    // Anything else, such as a dry run, is reported by others.
    if (!(error instanceof SvcError)) return;
    const { reasoning, text, toolCalls } = this.#answer;
    const hasBegun = text !== '' || reasoning !== '' || toolCalls.length > 0;
    const hasRun = hasBegun || (end.earlier?.calls.length ?? 0) > 0;
    if (options.events || (context.flags.json && hasRun)) await this.#endForMachine(end, error);
    else if (this.#forPeople) await this.#endLine();
    this.#showUnextracted();
    await this.#showCost(end);
  }

  /** A token has about four bytes. */
  interruption(): string {
    const uncounted = Math.ceil(this.#uncountedBytes / 4);
    const tokens = (this.#answer.usage?.outputTokens ?? 0) + uncounted;
    const count = `${uncounted > 0 ? 'about ' : ''}${tokens} output`;
    if (tokens === 0) return 'the interrupted request';
    return `stopped after ${count} ${tokens === 1 ? 'token' : 'tokens'}, which`;
  }

  #addText(text: string): void {
    if (text === '') return;
    if (!this.file && !isIndented(this.context.out, this.options)) this.#wait.end();
    this.#tail = (this.#tail + text).slice(-80);
    this.#texts.add(text);
  }

  get #isInLine(): boolean {
    return !['', '\n'].includes(this.#tail.slice(-1));
  }

  async #endForMachine(end: TurnEnd, error?: SvcError): Promise<void> {
    const { context, options } = this;
    const block = this.#hasText ? undefined : this.#block;
    const whole = {
      ...answerJson(this.#answer, end, error === undefined),
      ...(block && { code: block.push(this.#answer.text) + block.end() }),
      ...(error && { error: { code: error.code, message: error.message } }),
    };
    if (!options.events) return context.out.json(whole);
    this.#events.add(eventLine({ type: 'done', ...whole }, context.out.isScreen));
    await this.#events.flush();
  }

  async #endForPeople(end: TurnEnd): Promise<void> {
    const { out } = this.context;
    await this.#endLine();
    for (const call of this.#answer.toolCalls) await out.jsonLine(toolCallJson(call));
    leaveCode(out, this.#tail);
    const note = endNote(this.#answer.finishReason);
    if (note) out.note(note);
    if (out.isErrorTerminal) for (const source of end.search?.sources ?? []) out.dim(source);
    await this.#showCost(end, this.#answer.usage);
  }

  /** Ends the last line of reasoning and text; -o keeps the bytes of the text unchanged. */
  async #endLine(): Promise<void> {
    const { output } = this.options;
    const { out } = this.context;
    const isExact = output !== undefined && (output !== '-' || !out.isTerminal);
    await out.text(isExact || !this.#isInLine ? '' : '\n');
  }

  async #showCost(
    { cost: { searchRub, ...cost }, earlier }: TurnEnd,
    usage?: Usage,
  ): Promise<void> {
    if (!this.#forPeople) return;
    const { language } = this.context.out;
    await writeCost(this.context, cost, (words) => {
      const search = searchRub === undefined ? [] : [words.search(formatRub(searchRub, language))];
      const turns = earlier?.turns ? [words.turns(earlier.turns + 1)] : [];
      const tokens = tokenWords(usageSum(earlier?.usage, usage), words);
      const isNamed = this.options.interactive && tokens.length > 0;
      const model = isNamed ? [this.#wait.model] : [];
      return [...turns, ...model, ...tokens, ...search];
    });
  }

  /** An answer without a code block has been paid for, so it is still shown. */
  #showUnextracted(): void {
    const { text } = this.#answer;
    const isUnextracted = this.#forPeople && this.#block && !this.#block.found;
    if (isUnextracted && text !== '') this.context.out.error(text);
  }
}

/** A spinner after 300 ms, until there is something to see. */
class Wait {
  model = '';
  #seen = new AbortController();
  #isWaiting = false;
  #isSpinning = false;

  constructor(
    private readonly context: Context,
    private readonly forPeople: boolean,
  ) {}

  async start(model: string): Promise<void> {
    const { clock, out } = this.context;
    this.model = model;
    this.#seen = new AbortController();
    this.#isWaiting = out.reportsProgress || (this.forPeople && out.isErrorTerminal);
    if (this.#isWaiting) await clock.sleep(300, this.#seen.signal);
    this.#isSpinning = this.#isWaiting;
    if (this.#isSpinning) await out.spinner(`waiting for ${model}`, this.#seen.signal);
  }

  /** Once, because an abort takes time: before the text is written only if there is a spinner. */
  end(): void {
    const seen = this.#seen;
    if (this.#isSpinning) seen.abort();
    else if (this.#isWaiting) setImmediate(() => seen.abort());
    this.#isWaiting = this.#isSpinning = false;
  }
}

function asItIs(out: Output): TextSink {
  return { write: (text) => out.text(text), end: () => undefined };
}

const isJson = ({ jsonObject, schema, schemaMulti }: ChatOptions) =>
  (jsonObject ?? schema ?? schemaMulti) !== undefined;

/** Whether an answer is shown when it is whole, as --json shows it. */
const isIndented = (out: Output, options: ChatOptions) =>
  isJson(options) && options.plain === undefined && out.isTerminal;

/** Where an answer goes: on a terminal it is rendered. */
export async function answerSink(out: Output, options: ChatOptions): Promise<TextSink> {
  if (isIndented(out, options)) return indented(out);
  return isJson(options) || options.plain !== undefined ? asItIs(out) : out.markdown();
}

/** What is longer, nobody reads on a screen. */
const maxIndented = 1_000_000;

/** JSON with its lines indented; another text as it is. */
function indented(out: Output): TextSink {
  let text = '';
  const flush = () => {
    const whole = text;
    text = '';
    return out.text(whole);
  };
  return {
    write: (piece) => {
      text += piece;
      return text.length > maxIndented ? flush() : undefined;
    },
    end: () => {
      const value = text === '' ? text : argumentsIn(text);
      if (typeof value === 'string') return flush();
      const end = text.endsWith('\n') ? '\n' : '';
      text = '';
      return out.jsonText(`${toJson(value, 2)}${end}`);
    },
  };
}

/** An empty line between code and the words for people below it, where a screen has both. */
export function leaveCode(out: Output, text: string): void {
  const isCode = /(?:^|\n) {0,3}(?:`{3,}|~{3,})\s*$/.test(text.slice(-80));
  if (isCode && out.isTerminal && out.isErrorTerminal) out.note('');
}

function eventOf(piece: Piece): object | undefined {
  const { type } = piece;
  if (type === 'rest' || type === 'item' || type === 'about' || type === 'end') return undefined;
  return type === 'usage' ? Object.assign({ type }, piece.usage, { type }) : piece;
}
