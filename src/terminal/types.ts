/** What the rest of svc may ask of the terminal. Only terminal/ writes to stdout and stderr. */

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

/** Columns by their titles; one that begins with `>` stands at the right. */
export function titles(...names: readonly string[]): readonly Column[] {
  return names.map((name) =>
    name.startsWith('>') ? { title: name.slice(1), align: 'right' } : { title: name },
  );
}

/** A piece of a line. Its text is untrusted; off a terminal only the text is left. */
export interface Span {
  readonly text: string;
  readonly look?: 'bold' | 'dim';
  /** Where a click leads, on terminals that take links; only http and https addresses do. */
  readonly link?: string;
}

/** A line that shows work under way, on stderr and only on a terminal. */
export interface Spinner {
  /** A function is asked again each second, for what changes with time alone. */
  update(text: string | (() => string)): void;
  /** Removes the line. */
  stop(): void;
}

/** A text that is written piece by piece. */
export interface TextSink {
  /** A promise means that the reader is slow: wait for it before writing more. */
  write(text: string): void | Promise<void>;
  /** Writes what was held back because it might have gone on. */
  end(): void | Promise<void>;
}

export interface Output {
  /** Whether stdout is a terminal. */
  readonly isTerminal: boolean;
  /** Whether stderr is a terminal. */
  readonly isErrorTerminal: boolean;
  /** Opens stdout while there is something to wait for: it takes 1 ms, once. */
  open(): void;
  /** Columns of stdout, 80 when it is no terminal. */
  readonly columns: number;
  /**
   * Untrusted text to stdout: as it is to a pipe, harmless to a terminal.
   * A promise means that the reader is slow: wait for it before writing more.
   */
  text(text: string): void | Promise<void>;
  /**
   * Untrusted Markdown to stdout: as `text` has it, and styled where a terminal takes colour. Every
   * character stays. Opens stdout; what it takes to style is loaded only where it is needed.
   */
  markdown(): Promise<TextSink>;
  /** A line of text. */
  line(text: string): void | Promise<void>;
  /** A line of pieces, each with its look. */
  spans(spans: readonly Span[]): void | Promise<void>;
  /** Raw bytes to stdout. */
  bytes(bytes: Uint8Array): void | Promise<void>;
  /** One JSON value, indented, with a newline. */
  json(value: unknown): void | Promise<void>;
  /** One JSON value on one line. */
  jsonLine(value: unknown): void | Promise<void>;
  /** Rows for people on a terminal; tab-separated, without titles, to a pipe. */
  table(columns: readonly Column[], rows: readonly (readonly string[])[]): Promise<void>;
  /** A line on stderr for people; silent under --quiet. */
  note(text: string): void;
  /** The same, dim where the terminal can. */
  dim(text: string): void;
  /** Dim text on stderr without a newline, for reasoning as it arrives; silent under --quiet. */
  aside(text: string): void;
  /** A warning on stderr; said even under --quiet. */
  warn(text: string): void;
  /** A raw line on stderr: errors and verbose lines. */
  error(text: string): void;
  spinner(text: string): Promise<Spinner>;
  /** Resolves when everything written has left the process. */
  flush(): Promise<void>;
}

/** Questions to a person; each rejects with UsageError when nobody can answer (--no-input, no terminal). */
export interface Prompts {
  text(question: {
    message: string;
    default?: string;
    validate?: (value: string) => true | string | Promise<true | string>;
  }): Promise<string>;
  secret(question: { message: string }): Promise<string>;
  confirm(question: { message: string; default?: boolean }): Promise<boolean>;
  select<Value extends string>(question: {
    message: string;
    choices: readonly { value: Value; name: string }[];
  }): Promise<Value>;
  /** Any number of the choices, none of them too, but not more than `most`. */
  several<Value extends string>(question: {
    message: string;
    choices: readonly { value: Value; name: string }[];
    most: number;
  }): Promise<readonly Value[]>;
}

/** The person closed a question instead of answering it: Ctrl-C, Ctrl-D, or a terminal gone. */
export class PromptClosed extends Error {
  override readonly name = 'PromptClosed';
}
