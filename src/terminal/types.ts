/** What the rest of svc may ask of the terminal. Only terminal/ writes to stdout and stderr. */
import type { Readable, Writable } from 'node:stream';
import type { Language } from '../lib/language.js';
import type { Meaning, Style } from './screen.js';

/** A promise means that the reader is slow: wait for it before writing more. */
export type Written = void | Promise<void>;

/** A text that is written piece by piece. */
export interface TextSink {
  write(text: string): Written;
  end(): Written;
}

/** A piece of a line. Its text is untrusted; off a terminal only the text is left. */
export interface Span {
  readonly text: string;
  readonly look?: 'bold' | 'dim' | Meaning | undefined;
  readonly link?: string;
}

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** Cells may be cut to this width where the table does not fit. */
  readonly min?: number;
  /** Ids: cut first, to what is enough to name one. */
  readonly isId?: boolean;
  /** Where cutting is not enough, the column with the highest number is left out first. */
  readonly drop?: number;
  /** Drawn for people, and not data: not in a pipe. */
  readonly isDrawn?: boolean;
  /** Cells continue below themselves instead of being cut. */
  readonly wraps?: boolean;
}

export type Rows = readonly (readonly string[])[];

/** Words that change while something is awaited. */
export interface Spinner {
  /** Shows other words; a function is called again each second. */
  update(words: string | (() => string)): void;
  /** Takes them back; may be called more than once. */
  stop(): void;
}

/** What is known of the screen. */
export interface ScreenView {
  /** Whether a person reads stdout on a terminal; a coding agent is written to as to a pipe. */
  readonly isTerminal: boolean;
  /** Whether a person reads stderr on a terminal. */
  readonly isErrorTerminal: boolean;
  /** Whether stdout is a terminal, even a coding agent's: it must get no live control characters. */
  readonly isScreen: boolean;
  /** A coding agent reads both streams: it gets the next command as a hint, as people do. */
  readonly isForAgent: boolean;
  /** Whether nothing may be drawn again, as where the screen is read aloud: lines that stay. */
  readonly isPlain: boolean;
  /** In which words and amounts for people are written; English for a coding agent. */
  readonly language: Language;
  /** The width of stdout: 80 when it is not a terminal. */
  readonly columns: number;
  /** The same of stderr. */
  readonly errorColumns: number;
}

/** Data, on stdout. Text is untrusted: it reaches a pipe as it is, and a terminal harmless. */
export interface DataOutput {
  /** Whether JSON goes through a filter, --jq or --fields. */
  readonly isFiltered: boolean;
  /** Opens stdout while there is something to wait for: it takes 1 ms, once. */
  open(): void;
  text(data: string): Written;
  /** The text and a line feed. */
  line(data: string): Written;
  /** A line whose pieces have a look or a link on a terminal. */
  spans(spans: readonly Span[]): Written;
  bytes(data: Uint8Array): Written;
  /** Takes Markdown piece by piece, and renders it where a terminal takes colour. */
  markdown(): Promise<TextSink>;
  /** The same of a whole text, in one write of whole lines: a spinner may run meanwhile. */
  markdownLines(text: string): Promise<void>;
  /** A value, indented. */
  json(value: unknown): Written;
  /** A value on one line. */
  jsonLine(value: unknown): Written;
  /** JSON, or whole tokens of it: escaped and coloured on a terminal, where it is the same value. */
  jsonText(json: string): Written;
  /** Rows for people on a terminal; tab-separated to a pipe, with --header below their names. */
  table(columns: readonly Column[], rows: Rows): Promise<void>;
  /** A table whose rows still arrive. */
  growingTable(columns: readonly Column[]): Promise<(rows: Rows) => Promise<void>>;
  /** A name and a value each, below each other; tab-separated to a pipe. */
  fields(fields: Rows): Promise<void>;
}

/** Words for people, on stderr. */
export interface NoteOutput {
  /** Whether a program is shown the progress, with --json too. */
  readonly reportsProgress: boolean;
  /** A line; silent under --quiet. */
  note(words: string): void;
  /** A dim line; silent under --quiet. */
  dim(words: string): void;
  /** A line, written together with the others of its moment; silent under --quiet. */
  log(spans: readonly Span[]): void;
  /** Dim text without a line feed, for reasoning as it arrives; silent under --quiet. */
  aside(words: string): void;
  /** @param label in the language of the words */
  warn(words: string, label?: string): void;
  /** A line that is not wrapped; or a sentence below a label, wrapped. */
  error(words: string, label?: string): void;
  /** A sentence, wrapped, with its commands in backquotes. */
  sentence(words: string): void;
  /** A table for people, terminal or not; silent under --quiet. */
  noteTable(columns: readonly Column[], rows: Rows): Promise<void>;
  /**
   * Keeps what is said until the release: a program has the terminal, where stderr is one.
   * `isCut` says that it could not put the terminal back as it was.
   */
  hold(): (isCut?: boolean) => void;
  /** Sets the clipboard of the terminal (OSC 52). */
  copy(data: string): void;
  /** A notification of the terminal (OSC 9) and its bell. */
  notify(words: string): void;
  /** Shows what is awaited. @param end ends the spinner, or keeps it from starting. */
  spinner(words: string, end?: AbortSignal): Promise<Spinner>;
}

export interface Output extends ScreenView, DataOutput, NoteOutput {
  /** Text of svc's own, such as help. */
  help(draw: (style: Style) => string): Written;
  /** Waits until all has left svc. */
  flush(): Promise<void>;
  /** The last of a run. @throws Incomplete for JSON that could be written only unfiltered */
  end(): Promise<void>;
}

/** Columns by their titles, `>` for one at the right; how one gives way to a narrow screen. */
export function titles(...names: readonly (string | Column)[]): readonly Column[] {
  return names.map((name) => {
    const column = typeof name === 'string' ? { title: name } : name;
    if (!column.title.startsWith('>')) return column;
    return { ...column, title: column.title.slice(1), align: 'right' };
  });
}

/** What --header calls a column: its title as a word. */
export function columnName({ title }: Column): string {
  return title.toLowerCase().replaceAll(' ', '_');
}

export interface Question {
  readonly message: string;
}

export interface TextQuestion extends Question {
  readonly default?: string;
  /** Whether the default can be edited, and not only be accepted. */
  readonly prefill?: 'editable';
  readonly validate?: (value: string) => true | string | Promise<true | string>;
}

export interface ChoiceQuestion<Value> extends Question {
  /** `short` is what the answered question shows. */
  readonly choices: readonly { value: Value; name: string; short?: string }[];
}

/** What questions say around their message, in the language of the person. */
export interface QuestionWords {
  /** What a key does, by its English name: navigate, select, skip, toggle visibility. */
  readonly action: (name: string) => string;
  /** A message with the answer that Enter gives. */
  readonly withUsual: (message: string, usual: string) => string;
  /** The message of a secret in plain lines. */
  readonly notShown: (message: string) => string;
  readonly numberOrWords: string;
  /** How many choices there are: said where not all are shown, and after a search. */
  readonly count: (count: number, shown: number, isFound: boolean) => string;
  readonly nothingFound: string;
  readonly numberUpTo: (count: number) => string;
}

/** What a question is shown with, and how it ends early. */
export interface QuestionStreams {
  readonly words: QuestionWords;
  readonly input: Readable;
  readonly output: Writable & { readonly columns?: number };
  readonly signal: AbortSignal;
}

/** Ctrl-C that was not a signal to svc; also a question closed by Ctrl-D or a terminal gone. */
export class PromptClosed extends Error {
  override readonly name = 'PromptClosed';
}
