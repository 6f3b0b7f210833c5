/** The only writer to stdout and stderr: data to the one, words for people to the other. */
import { type Env, isAgent } from '../lib/env.js';
import { toJson } from '../lib/json.js';
import type { Filter } from './filter.js';
import {
  colouredJson,
  hanging,
  sanitise,
  sanitiseJson,
  hyperlink,
  linkTarget,
  takesLinks,
  oneLine,
  type Style,
  styleFor,
  takesColour,
} from './screen.js';
import type { startSpinner } from './spinner.js';
import type { Column, Rows } from './table.js';
import { ticking } from './ticking.js';
import { Writer, type OutputStream } from './writer.js';

/** A piece of a line. Its text is untrusted; off a terminal only the text is left. */
interface Span {
  readonly text: string;
  readonly look?: 'bold' | 'dim' | 'cyan' | 'yellow' | 'red';
  readonly link?: string;
}

/** A text that is written piece by piece; a promise means that the reader is slow: wait for it. */
export interface TextSink {
  write(text: string): void | Promise<void>;
  end(): void | Promise<void>;
}

interface OutputOptions {
  /** Each is read when it is first needed: opening a stream costs a start 1 to 5 ms. */
  streams: { readonly stdout: OutputStream; readonly stderr: OutputStream };
  env: Env;
  quiet: boolean;
  /** What --jq and --fields make of the JSON. */
  filter?: Filter | undefined;
  onStdoutFailure: (failure: Error) => void;
  /** Gets what a spinner would show. */
  onProgress?: ((words: string) => void) | undefined;
}

/** What goes to stdout returns a promise where the reader is slow: wait for it before writing more. */
export type Output = ReturnType<typeof createOutput>;

const labels = { 'error:': 'red', 'hint:': 'dim' } as const;

export function createOutput(options: OutputOptions) {
  const { streams, env, quiet, filter, onStdoutFailure, onProgress } = options;
  const out = new Writer(() => streams.stdout, 'stdout', onStdoutFailure);
  const ignore = () => undefined;
  const err = new Writer(() => streams.stderr, 'stderr', ignore);
  const isForAgent = isAgent(env);
  /** Whether a person reads it: a coding agent is written to as to a pipe. */
  const isSeen = (writer: Writer) => !isForAgent && writer.isTerminal;
  const onTerminal = styleFor(env, true);
  const errorStyle: Style = (look, text) => styleFor(env, err.isTerminal)(look, text);
  const forTerminal = (text: string) =>
    err.isTerminal || takesColour(env, false) ? sanitise(text) : text;
  /** A line of reasoning, and one of text, that is not ended yet. */
  let [asideOpen, textOpen] = [false, false];
  /** Called before words for people appear below the text. */
  let onInterrupt: () => void = ignore;

  const say = (text: string): void => {
    try {
      void Promise.resolve(err.write(text)).catch(ignore);
    } catch {
      // Nobody reads stderr.
    }
  };
  /** What follows starts on a line of its own. */
  const closeAside = (): void => {
    if (asideOpen) say('\n');
    asideOpen = false;
  };
  const closeText = (): void => {
    if (textOpen && out.isTerminal && err.isTerminal) say('\n');
    if (err.isTerminal) onInterrupt();
    textOpen = false;
  };
  let [logged, isLogStyled] = ['', false];
  const writeLog = (): void => {
    if (logged !== '') say(logged);
    logged = '';
  };
  const sayLine = (text: string): void => {
    closeAside();
    closeText();
    say(`${text}\n`);
  };
  /** Wrapped on a terminal, below the words that follow a label; indented lines are kept. */
  const wrapped = (harmless: string, label = ''): string => {
    const { columns } = err.open();
    if (!isSeen(err) || !columns) return harmless;
    const indent = label === '' ? 0 : label.length + 1;
    const fits = (line: string) => line.length + indent <= columns || line.startsWith(' ');
    const lines = harmless.split('\n');
    return lines.map((line) => (fits(line) ? line : hanging(line, columns, indent))).join('\n');
  };
  const show = (harmless: string): void | Promise<void> => {
    closeAside();
    if (harmless === '') return;
    textOpen = !harmless.endsWith('\n');
    return out.write(harmless);
  };
  const forScreen = (data: string) => (out.isTerminal ? sanitise(data) : data);
  const text = (data: string) => show(forScreen(data));
  const bareRows = (rows: Rows) => forScreen(tabSeparated(rows));
  /** 80 when it is not a terminal; some terminals without a size say 0. */
  const columnsOf = (writer: Writer) => {
    const { columns = 0 } = writer.open();
    return columns === 0 ? 80 : columns;
  };
  const tableLook = () => {
    return { width: columnsOf(out), styleTitle: (title: string) => onTerminal('bold', title) };
  };
  const growingTable = async (columns: readonly Column[]) => {
    const table = isSeen(out) ? await import('./table.js') : undefined;
    const draw = table?.growingTable(columns, tableLook()) ?? bareRows;
    return async (rows: Rows) => {
      if (rows.length > 0) await out.write(draw(rows));
    };
  };
  const writeJson = (json: string) =>
    out.write(out.isTerminal ? colouredJson(sanitiseJson(json), onTerminal) : json);
  /** Until the end: a filter needs complete values. */
  let unfiltered = '';
  const jsonText = (json: string): void | Promise<void> => {
    if (!filter) return writeJson(json);
    unfiltered += json;
  };
  const flush = async (): Promise<void> => {
    closeAside();
    writeLog();
    await out.flush();
    await err.flush().catch(ignore);
  };
  const spanText = ({ text: words, look, link }: Span): string => {
    const harmless = sanitise(oneLine(words));
    const styled = look && harmless !== '' ? onTerminal(look, harmless) : harmless;
    const target = link !== undefined && takesLinks(env, true) ? linkTarget(link) : undefined;
    return target === undefined ? styled : hyperlink(styled, target);
  };

  return {
    /** Opens stdout while there is something to wait for: it takes 1 ms, once. */
    open: (): void => void out.open(),
    /** Whether a person reads stdout on a terminal. */
    get isTerminal(): boolean {
      return isSeen(out);
    },
    get isErrorTerminal(): boolean {
      return isSeen(err);
    },
    /** Whether stdout is a terminal, even a coding agent's: it must get no live control characters. */
    get isScreen(): boolean {
      return out.isTerminal;
    },
    /** A coding agent reads both streams: it gets the next command as a hint, as people do. */
    isForAgent,
    get columns(): number {
      return columnsOf(out);
    },
    get errorColumns(): number {
      return columnsOf(err);
    },
    /** JSON goes through a filter. */
    isFiltered: filter !== undefined,
    /** Untrusted text to stdout: as it is to a pipe, harmless to a terminal. */
    text,
    /** Untrusted Markdown: as `text` has it, and rendered where a terminal takes colour. */
    markdown: async (): Promise<TextSink> => {
      if (!out.isTerminal || !takesColour(env, true)) return { write: text, end: () => undefined };
      const { MarkdownScreen } = await import('./markdown.js');
      const size = () => ({ columns: columnsOf(out), rows: out.open().rows ?? 0 });
      const takes = takesLinks(env, true);
      const screen = new MarkdownScreen({ style: onTerminal, takesLinks: takes, size });
      onInterrupt = () => screen.interrupt();
      return {
        write: (data) => show(screen.push(sanitise(data))),
        end: () => show(screen.end()),
      };
    },
    line: (data: string) => text(`${data}\n`),
    spans: (spans: readonly Span[]): void | Promise<void> =>
      out.isTerminal
        ? show(`${spans.map(spanText).join('')}\n`)
        : out.write(`${spans.map((span) => span.text).join('')}\n`),
    bytes: (data: Uint8Array) => out.write(data),
    /** JSON, or whole tokens of it: escaped and coloured on a terminal, where it is the same value. */
    jsonText,
    // JSON has no form for undefined; a reply without a body is null.
    json: (value: unknown) => jsonText(`${toJson(value ?? null, 2)}\n`),
    jsonLine: (value: unknown) => jsonText(`${toJson(value ?? null)}\n`),
    /** Text of svc's own, such as help: on stdout, or beside an error on stderr. */
    help: (draw: (style: Style) => string, isError: boolean): void | Promise<void> =>
      isError ? say(draw(errorStyle)) : out.write(draw(styleFor(env, out.isTerminal))),
    /** Rows for people on a terminal; tab-separated, without titles, to a pipe. */
    table: async (columns: readonly Column[], rows: Rows) => (await growingTable(columns))(rows),
    /** A table whose rows still arrive. */
    growingTable,
    /** A name and a value each, below each other; tab-separated to a pipe. */
    fields: async (fields: Rows) => {
      if (!isSeen(out) || fields.length === 0) return out.write(bareRows(fields));
      return out.write((await import('./table.js')).drawFields(fields, tableLook()));
    },
    /** A line on stderr for people; silent under --quiet. */
    note: (words: string): void => {
      if (!quiet) sayLine(wrapped(sanitise(words)));
    },
    dim: (words: string): void => {
      if (!quiet) sayLine(errorStyle('dim', wrapped(sanitise(words))));
    },
    /** A line on stderr, written together with the others of its moment; silent under --quiet. */
    log: (spans: readonly Span[]): void => {
      if (quiet) return;
      if (logged === '') {
        // A write for each line would halve what `svc serve` answers.
        setTimeout(writeLog, 10);
        isLogStyled = takesColour(env, err.isTerminal);
      }
      logged += isLogStyled
        ? spans.map(spanText).join('')
        : sanitise(oneLine(spans.map(({ text }) => text).join('')));
      logged += '\n';
    },
    /** Dim text on stderr without a newline, for reasoning as it arrives; silent under --quiet. */
    aside: (words: string): void => {
      if (quiet || words === '') return;
      closeText();
      say(errorStyle('dim', forTerminal(words)));
      asideOpen = !words.endsWith('\n');
    },
    /** Sets the clipboard of the terminal (OSC 52). */
    copy: (data: string): void => {
      if (err.isTerminal) say(`\u001b]52;c;${Buffer.from(data).toString('base64')}\u0007`);
    },
    warn: (words: string): void => {
      sayLine(`${errorStyle('yellow', 'warning:')} ${wrapped(sanitise(words), 'warning:')}`);
    },
    /** A notification of the terminal (OSC 9) and its bell. */
    notify: (words: string): void => {
      if (err.isTerminal) say(`\u001b]9;${sanitise(oneLine(words))}\u0007\u0007`);
    },
    /** A sentence on stderr that --quiet does not silence, with its commands in backquotes. */
    sentence: (words: string): void => {
      sayLine(wrapped(forTerminal(words)));
    },
    /** A line on stderr that --quiet does not silence: as it is, or wrapped after a label. */
    error: (words: string, label?: keyof typeof labels): void => {
      if (!label) sayLine(forTerminal(words));
      else sayLine(`${errorStyle(labels[label], label)} ${wrapped(forTerminal(words), label)}`);
    },
    /** Whether a program is shown the progress, with --json too. */
    reportsProgress: onProgress !== undefined,
    /** @param end ends the spinner, or keeps it from starting. */
    spinner: async (words: string, end?: AbortSignal): Promise<ReturnType<typeof startSpinner>> => {
      if (onProgress) return ticking(words, onProgress, end);
      // A dumb terminal cannot take a line back; without a width the number of lines is unknown.
      const isSilent = quiet || !isSeen(err) || env['TERM'] === 'dumb';
      if (isSilent || err.open().columns === 0) return { update: ignore, stop: ignore };
      const { startSpinner } = await import('./spinner.js');
      if (end?.aborted) return { update: ignore, stop: ignore };
      return startSpinner(err.open(), words, takesColour(env, true), end);
    },
    flush,
    /** The last of a run. @throws Incomplete for JSON that could be written only unfiltered */
    end: async (): Promise<void> => {
      const json = unfiltered;
      unfiltered = '';
      if (filter && json !== '') {
        let filtered: string;
        try {
          filtered = filter.run(json);
        } catch (error) {
          await writeJson(json);
          throw error;
        }
        await (filter.isRaw ? text(filtered) : writeJson(filtered));
      }
      await flush();
    },
  };
}

const tabSeparated = (rows: Rows) => rows.map((row) => `${row.map(oneLine).join('\t')}\n`).join('');
