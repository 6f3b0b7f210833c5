/** The turns of a program in the log: what each of its requests says that is new, and the answer. */
import { createHash } from 'node:crypto';
import { keptAnswer, type KeptMessage } from '../api/chat/conversation.js';
import { keptItems, keptRequest } from '../api/chat/kept-request.js';
import { withoutData } from '../chat/logged-turns.js';
import type { ChatFormat } from '../contract/enums.js';
import { toJson, type JsonRecord } from '../lib/json.js';
import { plainText } from '../lib/plain-text.js';
import type { Account } from '../state/account.js';
import { Log, type NewTurn } from '../state/log.js';
import type { Paths } from '../state/paths.js';
import type { ProxiedRequest, ProxyWatcher } from './proxied.js';
import { jsonIn } from './request.js';

export interface TurnLogOptions {
  readonly paths: Paths;
  /** The one whose key pays. */
  readonly account: Pick<Account, 'service' | 'keyHash'>;
  /** The name of the program, as `svc logs` shows it. */
  readonly program: string;
  /** Gets a sentence, once, if turns could not be logged. */
  readonly warn: (sentence: string) => void;
}

/** A conversation of the program: each thread of its requests is one. */
interface Thread {
  /** Once it is in the log. */
  id?: number;
  /** The turn that its next one follows. */
  head?: LoggedTurn;
}

interface LoggedTurn {
  thread: Thread;
  /** Once it is in the log. */
  id?: number;
}

/** @throws LocalFileError */
type Write = (log: Log) => void;

/** So many turns can be continued. */
const maxKnown = 5000;
/** So much waits for a log that cannot be written, with the contents of its turns. */
const maxWaiting = 20;
/** A search finds a turn by its first words. */
const searchedLength = 64 * 1024;

/**
 * Reads and writes after an answer has ended, and waits for no other process: what cannot be
 * written is tried again with the next turn, and by `finish`.
 */
export class TurnLog implements ProxyWatcher {
  readonly #log: Log;
  /** The turns that a request may continue, by a hash of all that had been said to the model. */
  readonly #known = new Map<string, LoggedTurn>();
  /** The turns whose prices are not known. */
  readonly #unpriced = new WeakMap<ProxiedRequest, LoggedTurn>();
  /** What is not written yet, in order. */
  #waiting: Write[] = [];
  #unloggedTurns = 0;
  /** Why the last one could not be logged. */
  #reason: unknown;

  constructor(private readonly options: TurnLogOptions) {
    this.#log = new Log(options.paths, 0);
  }

  readonly onEnd = (request: ProxiedRequest): void => {
    const format = request.row?.stream;
    const isAnswered = request.status >= 200 && request.status < 300;
    const mayBeCharged = isAnswered || request.generationId !== undefined;
    if (format === undefined || request.refusal || !mayBeCharged) return;
    const turn: LoggedTurn = { thread: {} };
    if (request.priceRub === undefined) this.#unpriced.set(request, turn);
    // What it holds may be let go once this returns.
    const ended = { ...request };
    this.#unloggedTurns += 1;
    this.#later(() => this.#read(ended, format, turn));
  };

  readonly onPrice = (request: ProxiedRequest): void => {
    const { priceRub } = request;
    const turn = this.#unpriced.get(request);
    if (turn === undefined || priceRub === undefined) return;
    this.#later(() => (log) => {
      if (turn.id !== undefined) log.setPrice(turn.id, priceRub);
    });
  };

  /** Writes what is left, and says whether some of it cannot be written. */
  async finish(): Promise<void> {
    await new Promise(setImmediate);
    this.#flush(new Log(this.options.paths));
    const count = this.#unloggedTurns;
    if (count === 0) return;
    const reason = this.#reason instanceof Error ? this.#reason.message : '';
    const turns = count === 1 ? '1 turn' : `${count} turns`;
    this.options.warn(`${turns} could not be logged: ${plainText(reason.split('\n')[0] ?? '')}`);
  }

  /** First lets the end of the answer go to the program. */
  #later(prepare: () => Write): void {
    setImmediate(() => {
      try {
        this.#waiting.push(prepare());
      } catch (error) {
        // Whatever a request contains, it has been answered, and the others go on.
        this.#reason = error;
      }
      this.#flush(this.#log);
    });
  }

  #flush(log: Log): void {
    try {
      for (const write of [...this.#waiting]) {
        write(log);
        this.#waiting.shift();
      }
    } catch (error) {
      this.#reason = error;
      if (this.#waiting.length < maxWaiting) return;
      this.#waiting = [];
      // What continues a lost turn is logged from its beginning.
      this.#known.clear();
    }
  }

  #read(ended: ProxiedRequest, format: ChatFormat, turn: LoggedTurn): Write {
    const { answer, isWhole } = ended;
    const { messages, ...request } = keptRequest(format, bodyOf(ended));
    const answered = answerOf(format, ended);
    const { parent, asked } = this.#placed(messages, turn, answered !== undefined);
    const row: NewTurn = {
      account: this.options.account,
      program: this.options.program,
      parent: null,
      atMs: ended.atMs,
      model: ended.model ?? answer?.model ?? '',
      ...{ format, request, answered },
      asked: asked.map(withoutData),
      question: questionOf(asked),
      answer: answer?.text.slice(0, searchedLength) ?? '',
      generationId: ended.generationId ?? null,
      priceRub: ended.priceRub ?? null,
      inputTokens: ended.usage?.inputTokens ?? null,
      outputTokens: ended.usage?.outputTokens ?? null,
      ms: ended.ms ?? null,
      finishReason: answer?.finishReason ?? null,
      isComplete: isWhole,
    };
    return (log) => {
      const { thread } = turn;
      const logged = log.add({ ...row, parent: parent?.id ?? null, conversation: thread.id });
      turn.id = logged.id;
      thread.id = logged.conversation;
      this.#unloggedTurns -= 1;
    };
  }

  /** The turn that these messages continue, and which of them are new. */
  #placed(messages: readonly KeptMessage[], turn: LoggedTurn, isAnswered: boolean) {
    const marks = marksOf(messages);
    const whole = marks.pop();
    const at = marks.findLastIndex((mark) => this.#known.has(mark));
    const parent = this.#known.get(marks[at] ?? '');
    const [first, ...others] = messages.slice(at + 1);
    // The program sends the answer back, perhaps in other words.
    const asked = parent && first?.role === 'assistant' ? others : messages.slice(at + 1);
    // A second continuation of the same turn is another thread.
    if (parent?.thread.head === parent) turn.thread = parent?.thread ?? turn.thread;
    if (isAnswered && whole) {
      turn.thread.head = turn;
      this.#known.set(whole, turn);
      const [oldest = whole] = this.#known.keys();
      if (this.#known.size > maxKnown) this.#known.delete(oldest);
    }
    return { parent, asked };
  }
}

/** Empty where it cannot be read, or is too large to have been held. */
function bodyOf({ sent = '' }: ProxiedRequest): JsonRecord {
  try {
    return jsonIn(sent) ?? {};
  } catch {
    return {};
  }
}

function answerOf(
  format: ChatFormat,
  { answer, isWhole }: ProxiedRequest,
): KeptMessage | undefined {
  const kept = answer && keptAnswer(format, answer, isWhole);
  if (!kept?.native) return kept;
  // Calls of other tools than functions are in its items only.
  const parts = keptItems(format, kept.native.items).flatMap((message) => message.parts);
  return withoutData({ ...kept, parts });
}

/** For each message, a hash of it and all before it. Programs leave out reasoning of earlier turns. */
function marksOf(messages: readonly KeptMessage[]): string[] {
  let mark = '';
  return messages.map(({ role, parts }) => {
    const said = parts.filter(({ type }) => type !== 'reasoning');
    if (said.length === 0) return mark;
    mark = createHash('sha256')
      .update(`${mark}${role}${toJson(said)}`)
      .digest('hex');
    return mark;
  });
}

/** What was asked last, without what programs add in tags, and how many results of tools came. */
function questionOf(asked: readonly KeptMessage[]): string {
  const parts = asked.findLast(({ role }) => role === 'user')?.parts ?? [];
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const typed = texts.filter((text) => !text.trimStart().startsWith('<'));
  const all = asked.flatMap((message) => message.parts.map(({ type }) => type));
  const count = all.filter((type) => type === 'tool_result').length;
  const results = count > 0 ? [`(results of tools: ${count})`] : [];
  return [...(typed.length > 0 ? typed : texts), ...results].join('\n').slice(0, searchedLength);
}
