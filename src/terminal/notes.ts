/** Words for people, on stderr, below what stands on the screen; and what is known of the screen. */
import { type Env, isAgent } from '../lib/env.js';
import type { Language } from '../lib/language.js';
import type { Filter } from './filter.js';
import {
  hanging,
  sanitise,
  hyperlink,
  linkTarget,
  takesLinks,
  oneLine,
  type Look,
  type Style,
  styleFor,
  takesColour,
} from './screen.js';
import { startTicker } from './ticker.js';
import type { Column, NoteOutput, Rows, ScreenView, Span, Spinner } from './types.js';
import { Writer, type OutputStream } from './writer.js';

export interface OutputOptions {
  /** Each is read when it is first needed: opening a stream costs a start 1 to 5 ms. */
  readonly streams: { readonly stdout: OutputStream; readonly stderr: OutputStream };
  readonly env: Env;
  readonly quiet: boolean;
  /** Whether tables in a pipe begin with the names of their columns. */
  readonly header?: boolean;
  /** What --jq and --fields make of the JSON. */
  readonly filter?: Filter | undefined;
  readonly onStdoutFailure: (failure: Error) => void;
  /** The setting `accessible`, which is read where something would be drawn again. */
  readonly isAccessible?: () => boolean;
  /** The language of the user, which is read where words or amounts for people are written. */
  readonly language?: () => Language;
  /** Gets what a spinner would show. */
  readonly onProgress?: ((words: string) => void) | undefined;
}

/** Characters that are kept while nothing may be written. */
const maxHeld = 64 * 1024;
/** Switches off what a program that was killed may have left on: other screen, mouse, keys, paste. */
const afterCut =
  '\r\u001b[0m\u001b[?1047l\u001b[?25h\u001b[?1000l\u001b[?1002l\u001b[?1003l\u001b[?1004l\u001b[?1006l\u001b[?2004l\u001b[<u\u001b[>4m\n\u001b[J';
export const ignore = () => undefined;

export class TerminalNotes implements ScreenView, NoteOutput {
  readonly isForAgent: boolean;
  readonly reportsProgress: boolean;
  protected readonly stdout: Writer;
  protected readonly stderr: Writer;
  protected readonly style: Style;
  /** Whether a line of text on stdout is not ended yet. */
  protected isTextOpen = false;
  #language: Language | undefined;
  /** Called before words for people appear below the text. */
  protected onInterrupt: () => void = ignore;
  /** Whether a line of reasoning is not ended yet. */
  #isAsideOpen = false;
  /** Lines of the log that are not written yet. */
  #log = '';
  #isLogStyled = false;
  /** What is said while a program has the terminal. */
  #held: string | undefined;
  /** Whether the terminal may take a line feed for no more than that, until svc ends. */
  #isRaw = false;

  constructor(protected readonly options: OutputOptions) {
    const { streams, env, onProgress, onStdoutFailure } = options;
    this.stdout = new Writer(() => streams.stdout, 'stdout', onStdoutFailure);
    this.stderr = new Writer(() => streams.stderr, 'stderr', ignore);
    this.style = styleFor(env, true);
    this.isForAgent = isAgent(env);
    this.reportsProgress = onProgress !== undefined;
  }

  get isTerminal(): boolean {
    return !this.isForAgent && this.stdout.isTerminal;
  }

  get isErrorTerminal(): boolean {
    return !this.isForAgent && this.stderr.isTerminal;
  }

  get isScreen(): boolean {
    return this.stdout.isTerminal;
  }

  get isPlain(): boolean {
    return this.options.isAccessible?.() === true;
  }

  get language(): Language {
    if (this.isForAgent) return 'en';
    return (this.#language ??= this.options.language?.() ?? 'en');
  }

  get columns(): number {
    return this.stdout.columns;
  }

  get errorColumns(): number {
    return this.stderr.columns;
  }

  note(words: string): void {
    if (!this.options.quiet) this.#sayLine(this.#wrapped(sanitise(words)));
  }

  dim(words: string): void {
    if (this.options.quiet) return;
    this.#sayLine(this.errorStyle('dim', this.#wrapped(sanitise(words))));
  }

  log(spans: readonly Span[]): void {
    if (this.options.quiet) return;
    if (this.#log === '') {
      // A write for each line would halve what `svc serve` answers.
      setTimeout(() => this.#writeLog(), 10);
      this.#isLogStyled = takesColour(this.options.env, this.stderr.isTerminal);
    }
    const line = this.#isLogStyled ? this.styled(spans) : sanitise(oneLine(plain(spans)));
    this.#log += `${line}\n`;
  }

  aside(words: string): void {
    if (this.options.quiet || words === '') return;
    this.#closeText();
    this.say(this.errorStyle('dim', this.#harmless(words)));
    this.#isAsideOpen = !words.endsWith('\n');
  }

  warn(words: string, label = 'warning:'): void {
    this.#sayLine(`${this.errorStyle('waiting', label)} ${this.#wrapped(sanitise(words), label)}`);
  }

  error(words: string, label?: string): void {
    const harmless = this.#harmless(words);
    if (!label) this.#sayLine(harmless);
    else {
      const styledLabel = this.errorStyle(label === 'error:' ? 'failed' : 'dim', label);
      this.#sayLine(`${styledLabel} ${this.#wrapped(harmless, label)}`);
    }
  }

  sentence(words: string): void {
    this.#sayLine(this.#wrapped(this.#harmless(words)));
  }

  async noteTable(columns: readonly Column[], rows: Rows): Promise<void> {
    if (this.options.quiet) return;
    const { growingTable } = await import('./table.js');
    const style = styleFor(this.options.env, this.stderr.isTerminal);
    const width = this.isErrorTerminal ? this.errorColumns : undefined;
    this.#sayLine(growingTable(columns, { width, style })(rows).trimEnd());
  }

  hold(): (isCut?: boolean) => void {
    if (!this.stderr.isTerminal) return ignore;
    this.#held = '';
    return (isCut = false) => {
      const held = this.#held ?? '';
      this.#held = undefined;
      this.#isRaw = isCut;
      if (isCut && this.options.env['TERM'] !== 'dumb') this.say(afterCut);
      if (held !== '') this.say(held);
    };
  }

  copy(data: string): void {
    if (!this.stderr.isTerminal) return;
    this.say(`\u001b]52;c;${Buffer.from(data).toString('base64')}\u0007`);
  }

  notify(words: string): void {
    if (this.stderr.isTerminal) this.say(`\u001b]9;${sanitise(oneLine(words))}\u0007\u0007`);
  }

  async spinner(words: string, end?: AbortSignal): Promise<Spinner> {
    const { env, quiet, onProgress } = this.options;
    if (onProgress) return startTicker(words, onProgress, end);
    const none = { update: ignore, stop: ignore };
    // A dumb terminal cannot take a line back; without a width the number of lines is unknown.
    const isSilent = quiet || !this.isErrorTerminal || env['TERM'] === 'dumb';
    if (isSilent || this.stderr.open().columns === 0) return none;
    const say = rarely((line) => this.note(line));
    if (this.isPlain) return startTicker(words, say, end);
    const { startSpinner } = await import('./spinner.js');
    if (end?.aborted) return none;
    return startSpinner(this.stderr.open(), words, styleFor(env, true), end);
  }

  /** Waits until all has left svc. */
  async flush(): Promise<void> {
    this.closeAside();
    this.#writeLog();
    await this.stdout.flush();
    await this.stderr.flush().catch(ignore);
  }

  /** What follows starts on a new line. */
  protected closeAside(): void {
    if (this.#isAsideOpen) this.say('\n');
    this.#isAsideOpen = false;
  }

  protected say(text: string): void {
    if (this.#held !== undefined) {
      if (this.#held.length < maxHeld) this.#held += text;
      return;
    }
    try {
      const shown = this.#isRaw ? text.replaceAll('\n', '\r\n') : text;
      void Promise.resolve(this.stderr.write(shown)).catch(ignore);
    } catch {
      // No reader is left on stderr.
    }
  }

  protected errorStyle(look: Look, text: string): string {
    return styleFor(this.options.env, this.stderr.isTerminal)(look, text);
  }

  protected styled(spans: readonly Span[]): string {
    const parts = spans.map(({ text, look, link }) => {
      const harmless = sanitise(oneLine(text));
      const shown = harmless === '' ? '' : this.style(look, harmless);
      const isLink = link !== undefined && takesLinks(this.options.env);
      const target = isLink ? linkTarget(link) : undefined;
      return target === undefined ? shown : hyperlink(shown, target);
    });
    return parts.join('');
  }

  #sayLine(text: string): void {
    this.closeAside();
    this.#closeText();
    this.say(`${text}\n`);
  }

  #closeText(): void {
    if (this.stderr.isTerminal) {
      if (this.isTextOpen && this.stdout.isTerminal) this.say('\n');
      this.onInterrupt();
    }
    this.isTextOpen = false;
  }

  #writeLog(): void {
    if (this.#log !== '') this.say(this.#log);
    this.#log = '';
  }

  #harmless(words: string): string {
    const isScreen = this.stderr.isTerminal || takesColour(this.options.env, false);
    return isScreen ? sanitise(words) : words;
  }

  /** Wrapped on a terminal, below the words that follow a label; indented lines are kept. */
  #wrapped(harmless: string, label = ''): string {
    const { columns } = this.stderr.open();
    if (!this.isErrorTerminal || !columns) return harmless;
    const indent = label === '' ? 0 : label.length + 1;
    const fits = (line: string) => line.length + indent <= columns || line.startsWith(' ');
    const lines = harmless.split('\n');
    return lines.map((line) => (fits(line) ? line : hanging(line, columns, indent))).join('\n');
  }
}

/** Says other words at once, those with another number at most each 15 seconds, and no bars. */
function rarely(say: (words: string) => void): (words: string) => void {
  let last = { shape: '', atMs: 0 };
  return (words) => {
    const [shape, atMs] = [words.replace(/\d+/g, ''), performance.now()];
    if (shape === last.shape && atMs - last.atMs < 15_000) return;
    last = { shape, atMs };
    say(words.replace(/[\u2580-\u259f]+ /g, ''));
  };
}

/** The text alone. */
export const plain = (spans: readonly Span[]) => spans.map(({ text }) => text).join('');
