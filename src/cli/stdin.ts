/** Standard input. It may be somebody else's: the list of a loop, or a pipe that is never written. */
import { fstatSync, readFileSync, type Stats } from 'node:fs';
import type { Readable } from 'node:stream';
import type { PromptUse, Stdin, StdinStream } from '../context.js';
import { TimeoutError, UsageError } from '../errors.js';
import { fileTrouble } from '../files/file-trouble.js';
import { formatBytes } from '../lib/amounts.js';
import type { Clock, TimeLimit } from '../lib/clock.js';
import { writtenText } from '../lib/plain-text.js';

interface Surroundings {
  readonly streams: { readonly stdin: StdinStream };
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly timeLimit?: TimeLimit | undefined;
  readonly out: { note: (words: string) => void; warn: (words: string) => void };
  readonly flags: { readonly input: boolean; readonly dryRun: boolean };
  /** What refuses a command for free, before it takes what cannot be given back. */
  readonly beforePrompt: () => Promise<unknown>;
}

/** After this long, a person wonders what svc is waiting for. */
const silentMs = 1000;
/** The programs of a shell's pipeline may need some time before their first byte. */
const pipelineMs = 3000;

const asDash = 'to read it anyway, give - as the last word of the prompt';

export class StdinReader implements Stdin {
  readonly #around: Surroundings;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /** Opened when it is first needed, which takes 3 to 5 ms. */
  get #stream(): StdinStream {
    return this.#around.streams.stdin;
  }

  get isTerminal(): boolean {
    return this.#stream.isTTY === true;
  }

  async *pieces(until?: AbortSignal): AsyncGenerator<Buffer> {
    const { startLimit } = await import('../http/deadline.js');
    const { signal, out } = this.#around;
    const ending = until ? AbortSignal.any([signal, until]) : signal;
    const limit = startLimit({ ...this.#around, signal: ending });
    try {
      if (this.#isOpen && (await this.#isSilentFor(silentMs, limit.signal))) {
        out.note('waiting for input on stdin; to run without it, add </dev/null');
      }
      yield* piecesOf(this.#stream, limit.signal);
    } finally {
      limit.end();
    }
  }

  conversation(): AsyncIterable<Buffer> {
    return piecesOf(this.#stream, this.#around.signal);
  }

  async bytes(): Promise<Buffer> {
    const { tooLarge, wholeOf } = await import('../files/named-file.js');
    return wholeOf(this.pieces(), () => tooLarge('the piped input'));
  }

  async text(): Promise<string> {
    const text = writtenText(await this.bytes(), { keepsMark: true });
    if (text !== undefined) return text;
    throw new UsageError('the piped input is not UTF-8 text', {
      code: 'not_text',
      hint: 'pipe text in as UTF-8; `svc chat -a -` takes an image',
    });
  }

  async forPrompt(words: readonly string[], use: PromptUse = {}) {
    const { isTaken = false, isBeside = false, isOptional = false } = use;
    const own = words.at(-1) === '-' ? words.slice(0, -1) : words.slice(words[0] === '-' ? 1 : 0);
    const [isAsked, prompt] = [own.length < words.length, own.join(' ')];
    if (isAsked && isTaken) throw new UsageError('stdin can be read only once');
    const hasWords = prompt.trim() !== '';
    const isRead = isAsked || !(isTaken || this.isTerminal || (hasWords && !isBeside));
    if (!isRead) return { piped: '', prompt };
    await this.#around.beforePrompt();
    const isSpare = !isAsked && (hasWords || isOptional);
    return { piped: await (isSpare ? this.#spare() : this.text()), prompt };
  }

  /** What is there beside a prompt, unless it is somebody else's; '' for none. */
  async #spare(): Promise<string> {
    const { flags, out, timeLimit } = this.#around;
    const leftBytes = this.#leftByAnother();
    if (leftBytes !== undefined) {
      const words = `stdin was not read: another program reads this file too; ${asDash}`;
      if (leftBytes > 0) out.note(words);
      return '';
    }
    const usualMs = this.#stats?.isFIFO() ? pipelineMs : silentMs;
    const waitMs = Math.min(usualMs, timeLimit?.leftMs() ?? usualMs);
    if (!flags.input && this.#isOpen && (await this.#isSilentFor(waitMs))) {
      // Reading has started, and must not keep the process running.
      this.#stream.unref?.();
      out.warn(`stdin was not read: nothing came in ${waitMs / 1000} s; ${asDash}`);
      return '';
    }
    const text = await this.text();
    // A dry run shows it.
    if (text !== '' && !flags.dryRun)
      out.note(`read ${formatBytes(Buffer.byteLength(text))} from stdin`);
    return text;
  }

  /** Whether nothing comes, nor the end, in this time; the stream keeps what comes. */
  async #isSilentFor(ms: number, until = this.#around.signal): Promise<boolean> {
    const stream = this.#stream;
    if (stream.readableEnded || stream.destroyed || stream.readableLength > 0) return false;
    const over = new AbortController();
    const come = () => over.abort();
    const events = ['readable', 'end', 'error', 'close'];
    for (const event of events) stream.once(event, come);
    const ending = AbortSignal.any([until, over.signal]);
    await this.#around.clock.sleep(ms, ending).catch(() => undefined);
    // After a busy second the timer runs first, before what came meanwhile is read.
    if (!over.signal.aborted) await new Promise((resolve) => setImmediate(resolve));
    for (const event of events) stream.off(event, come);
    return !over.signal.aborted && !until.aborted;
  }

  get #stats(): Stats | undefined {
    const { fd } = this.#stream;
    return fd === undefined ? undefined : fstatSync(fd);
  }

  get #isOpen(): boolean {
    return !this.isTerminal && this.#stats?.isFile() !== true;
  }

  /**
   * The bytes that are left in a regular file which another program has started to read, as the
   * shell does in `while read`; undefined for anything else, and where the system does not say.
   */
  #leftByAnother(): number | undefined {
    const { fd, readableDidRead } = this.#stream;
    const stats = this.#stats;
    if (!stats?.isFile() || readableDidRead) return undefined;
    try {
      const facts = readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8');
      const position = Number(/^pos:\s*(\d+)/m.exec(facts)?.[1]);
      return position > 0 ? Math.max(0, stats.size - position) : undefined;
    } catch {
      return undefined;
    }
  }
}

async function* piecesOf(stream: Readable, signal: AbortSignal): AsyncGenerator<Buffer> {
  const onAbort = () => stream.destroy();
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    for await (const piece of stream) if (Buffer.isBuffer(piece)) yield piece;
  } catch (error) {
    const why: unknown = signal.reason;
    throw why instanceof TimeoutError ? why : fileTrouble(error, 'cannot read stdin');
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
