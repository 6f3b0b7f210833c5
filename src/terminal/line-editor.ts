/** Texts typed at a terminal: edited over several lines, with history, completion, whole pastes. */
import process from 'node:process';
import { emitKeypressEvents, type Key } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Env } from '../lib/env.js';
import { cutText } from '../lib/wrap.js';
import { EditedText, lineFeed } from './edited-text.js';
import { HistorySearch } from './history-search.js';
import { styleFor } from './screen.js';
import { marks, TextArea } from './text-area.js';
import type { OutputStream } from './writer.js';

/** Read when they are needed: opening a stream takes 1 to 5 ms. */
export interface PromptStreams {
  readonly stdin: Readable & { isTTY?: boolean; setRawMode?: (isRaw: boolean) => unknown };
  readonly stderr: OutputStream;
}

export interface EditorOptions {
  readonly env: Env;
  /** Earlier texts, newest first. */
  readonly history: readonly string[];
  /** What the text before the cursor can become. */
  readonly complete: (before: string) => Promise<readonly Completion[]>;
  /** Whether nothing may be drawn again. */
  readonly isPlain?: boolean;
}

export interface Completion {
  readonly text: string;
  /** Its row in a list of them; without rows, their last words stand beside each other. */
  readonly row?: string;
}

interface Press {
  readonly text?: string;
  readonly key: Key;
}

/** Takes the terminal until it is closed. */
export class LineEditor {
  readonly #stdin: PromptStreams['stdin'];
  readonly #stderr: OutputStream;
  /** Then the terminal edits by itself, a line at a time. */
  readonly #isDumb: boolean;
  readonly #text: EditedText;
  readonly #area: TextArea;
  #note = '';
  /** Whether the text is an earlier one as it was: then the next key goes to another. */
  #isEarlier = false;
  /** Ctrl-R has begun it, and no key has ended it. */
  #search: HistorySearch | undefined;
  #isReading = false;
  #isOver = false;
  /** Keys typed during an answer wait for the next prompt. */
  #waiting: Press[] = [];
  #wake: () => void = () => undefined;
  #stop: (() => void) | undefined;
  /** A paste that has begun. */
  #paste: string | undefined;

  constructor(
    { stdin, stderr }: PromptStreams,
    private readonly signal: AbortSignal,
    private readonly options: EditorOptions,
  ) {
    this.#stdin = stdin;
    this.#stderr = stderr;
    this.#isDumb = options.isPlain === true || options.env['TERM'] === 'dumb';
    this.#text = new EditedText(options.history);
    this.#area = new TextArea(stderr, styleFor(options.env, true));
    emitKeypressEvents(stdin);
    stdin.on('keypress', this.#onKey).on('end', this.#onEnd).on('error', this.#onEnd);
    stderr.on('resize', this.#onResize);
    signal.addEventListener('abort', () => this.#wake(), { once: true });
    // After an exception too.
    process.once('exit', this.#release);
    this.#take();
  }

  /** The next text; undefined after Ctrl-D. */
  async read(): Promise<string | undefined> {
    this.#isReading = true;
    return this.#read().finally(() => (this.#isReading = false));
  }

  /** Does work that Ctrl-C stops. */
  async during<Result>(onStop: () => void, work: () => Promise<Result>): Promise<Result> {
    this.#stop = onStop;
    this.#stdin.setRawMode?.(true);
    return work().finally(() => {
      this.#stop = undefined;
      this.#stdin.setRawMode?.(!this.#isDumb);
    });
  }

  /** Leaves the terminal to another program, or to a question. */
  async without<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#release();
    this.#stdin.off('keypress', this.#onKey);
    return work().finally(() => {
      this.#stdin.on('keypress', this.#onKey);
      this.#take();
    });
  }

  /** Gives the terminal back. */
  close(): void {
    this.#release();
    process.off('exit', this.#release);
    this.#stdin.off('keypress', this.#onKey).off('end', this.#onEnd).off('error', this.#onEnd);
    this.#stderr.off('resize', this.#onResize);
    this.#text.close();
  }

  async #read(): Promise<string | undefined> {
    if (this.#isDumb) this.#stderr.write(marks.first);
    for (;;) {
      if (this.#waiting.length === 0) this.#draw();
      while (this.#waiting.length === 0 && !this.#isOver && !this.signal.aborted) {
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
      if (this.signal.aborted) this.#stderr.write('\r\n');
      this.signal.throwIfAborted();
      const next = this.#waiting.shift();
      const isComplete = next && (await this.#handle(next));
      if (isComplete === false) continue;
      const { line } = this.#text;
      if (!this.#isDumb) this.#area.end(line);
      this.#text.press('return');
      const typed = this.#isDumb ? line.replaceAll(`\\${lineFeed}`, lineFeed) : line;
      const whole = this.#text.whole(typed).replace(/^\s*"""\n?([^]*?)\n?"""\s*$/, '$1');
      return isComplete && whole;
    }
  }

  #draw(): void {
    if (!this.#isDumb) this.#area.draw(this.#text.line, this.#text.cursor, this.#note);
  }

  /** @returns whether the text is complete: true after Enter, undefined to leave. */
  async #handle({ text = '', key }: Press): Promise<boolean | undefined> {
    const name = `${key.ctrl ? 'ctrl-' : ''}${key.meta ? 'meta-' : ''}${key.name ?? ''}`;
    const wasEarlier = this.#isEarlier;
    [this.#note, this.#isEarlier] = ['', false];
    if (this.#search) {
      const goesOn = this.#search.press(name, text);
      if (goesOn) this.#note = this.#search.note;
      else this.#search = undefined;
      // Any other key ends it, and edits what was found.
      if (goesOn !== undefined) return false;
    }
    if (name === 'return' || (this.#isDumb && name === 'enter')) return this.#enter();
    if (this.#isDumb && text < ' ') return false;
    const isEmpty = this.#text.line === '';
    if (name === 'paste') this.#text.paste(text);
    else if (name === 'tab') await this.#complete();
    else if (name === 'ctrl-l') this.#area.clear();
    else if (name === 'ctrl-r') {
      this.#search = new HistorySearch(this.#text);
      this.#note = this.#search.note;
    }
    // Ctrl-J and Alt-Enter.
    else if (name === 'enter' || name === 'meta-return') this.#text.write(lineFeed);
    else if (name === 'ctrl-c' && !isEmpty) this.#text.replace('');
    else if (name === 'ctrl-c') this.#note = 'Ctrl-D leaves';
    else if (name === 'ctrl-d' && isEmpty) return undefined;
    // Windows stops no process.
    else if (name === 'ctrl-z' && process.platform !== 'win32') this.#suspend();
    else if (name !== 'up' && name !== 'down') this.#text.write(text, key);
    else if (wasEarlier || !this.#text.moveLine(name === 'up' ? -1 : 1)) {
      this.#text.write(text, key);
      this.#isEarlier = true;
    }
    return false;
  }

  /** @returns whether the text is complete. */
  #enter(): boolean {
    const { line, cursor } = this.#text;
    const continues = cursor === line.length && line.endsWith('\\');
    if (!continues && !isOpen(this.#text.whole())) return true;
    // On a dumb terminal readline only adds letters.
    if (continues && !this.#isDumb) this.#text.press('backspace');
    if (!continues) this.#note = 'end the text with """';
    this.#text.write(lineFeed);
    if (this.#isDumb) this.#stderr.write(marks.more);
    return false;
  }

  async #complete(): Promise<void> {
    const before = this.#text.beforeCursor;
    const found = await this.options.complete(before).catch(() => []);
    const texts = found.map(({ text }) => text);
    let common = texts[0] ?? before;
    while (!texts.every((text) => text.startsWith(common)) || halfLetter.test(common)) {
      common = common.slice(0, -1);
    }
    if (common.startsWith(before)) this.#text.write(common.slice(before.length));
    // A name may have ё where е was typed.
    else if (texts.length === 1 && this.#text.line === before) this.#text.replace(common);
    const width = (this.#stderr.columns ?? 80) - 1;
    const rows = found.flatMap(({ row }) => (row === undefined ? [] : cutText(row, width)));
    if (texts.length > 1 && (rows.length > 0 || common.length <= before.length)) {
      const words = texts.map((text) => text.slice(before.lastIndexOf(' ') + 1));
      this.#note = rows.length > 0 ? rows.join('\n') : words.join('  ');
    } else if (texts.length === 1 && !common.endsWith('/')) this.#text.write(' ');
  }

  #onKey = (text: string | undefined, key: Key): void => {
    if (key.name === 'paste-start') this.#paste = '';
    else if (key.name === 'paste-end') {
      this.#waiting.push({ text: this.#paste, key: { name: 'paste' } });
      this.#paste = undefined;
    } else if (this.#paste !== undefined) this.#paste += key.sequence ?? '';
    else if (this.#stop && key.ctrl && key.name === 'c') {
      this.#waiting = [];
      this.#stop();
    } else this.#waiting.push({ text, key });
    this.#wake();
  };

  #onEnd = (): void => {
    this.#isOver = true;
    this.#stop?.();
    this.#wake();
  };

  #onResize = (): void => {
    if (!this.#isReading || this.#isDumb) return;
    this.#area.resize(this.#text.line, this.#text.cursor, this.#note);
  };

  #take(): void {
    this.#stdin.setRawMode?.(!this.#isDumb);
    if (!this.#isDumb) this.#stderr.write('\u001b[?2004h');
    this.#stdin.resume();
    process.on('SIGTSTP', this.#suspend);
  }

  #release = (): void => {
    process.off('SIGTSTP', this.#suspend);
    this.#stdin.setRawMode?.(false);
    if (!this.#isDumb) this.#stderr.write('\u001b[?2004l');
    this.#stdin.pause();
  };

  #suspend = (): void => {
    this.#release();
    // It returns when svc goes on; at once where no shell could continue it.
    process.kill(process.pid, 'SIGTSTP');
    this.#take();
    this.#area.forget();
    if (this.#isReading) this.#draw();
  };
}

const halfLetter = /[\ud800-\udbff]$/;
const isOpen = (text: string) => /^\s*"""/.test(text) && !/^\s*"""[^]*"""\s*$/.test(text);
