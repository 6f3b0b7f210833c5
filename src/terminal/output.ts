/** The only writer to stdout and stderr: data to the one, words for people to the other. */
import {
  sanitise,
  sanitiseJson,
  hyperlink,
  linkTarget,
  takesLinks,
  styleFor,
  takesColour,
} from './screen.js';
import type { Column, Output, Span, Spinner, TextSink } from './types.js';
import { Writer, type OutputStream } from './writer.js';

export interface OutputOptions {
  /** Each is read when it is first needed: opening a stream costs a start 1 to 5 ms. */
  streams: { readonly stdout: OutputStream; readonly stderr: OutputStream };
  env: Readonly<Record<string, string | undefined>>;
  quiet: boolean;
  /** Told once when stdout can take no more: its reader is gone, or the disk is full. */
  onStdoutFailure: (failure: Error) => void;
}

export function createOutput(options: OutputOptions): Output {
  const { streams, env, quiet } = options;
  const out = new Writer(() => streams.stdout, 'stdout', options.onStdoutFailure);
  // Words for people may be lost without harm: a gone stderr stops nothing.
  const err = new Writer(
    () => streams.stderr,
    'stderr',
    () => undefined,
  );
  const errorStyle = () => styleFor(env, err.isTerminal);
  let asideOpen = false;
  let textOpen = false;

  const say = (text: string): void => {
    try {
      void Promise.resolve(err.write(text)).catch(() => undefined);
    } catch {
      // Nobody reads stderr.
    }
  };
  /** Ends a line of reasoning that is still open, so that what follows starts on its own. */
  const closeAside = (): void => {
    if (asideOpen) say('\n');
    asideOpen = false;
  };
  /** The same for a line of text, when both stand on the same screen. */
  const closeText = (): void => {
    if (textOpen && err.isTerminal) say('\n');
    textOpen = false;
  };
  const sayLine = (text: string): void => {
    closeAside();
    closeText();
    say(`${text}\n`);
  };
  /** Text for the screen, harmless already. */
  const show = (harmless: string): void | Promise<void> => {
    if (harmless === '') return;
    closeAside();
    textOpen = !harmless.endsWith('\n');
    return out.write(harmless);
  };
  const text = (data: string) => (out.isTerminal ? show(sanitise(data)) : out.write(data));
  const markdown = async (): Promise<TextSink> => {
    if (!out.isTerminal || !takesColour(env, true)) return { write: text, end: () => undefined };
    const { MarkdownStyler } = await import('./markdown.js');
    const styler = new MarkdownStyler(styleFor(env, true));
    return {
      write: (data) => show(styler.push(sanitise(data))),
      end: () => show(styler.end()),
    };
  };

  const drawn = ({ text: words, look, link }: Span): string => {
    const harmless = sanitise(words.replace(/[\t\r\n]+/g, ' '));
    const styled = look ? styleFor(env, true)(look, harmless) : harmless;
    const target = link !== undefined && takesLinks(env, true) ? linkTarget(link) : undefined;
    return target === undefined ? styled : hyperlink(styled, target);
  };

  return {
    open: () => {
      out.open();
    },
    get isTerminal() {
      return out.isTerminal;
    },
    get isErrorTerminal() {
      return err.isTerminal;
    },
    get columns() {
      const { columns } = out.open();
      // Some terminals without a size say 0.
      return columns === undefined || columns === 0 ? 80 : columns;
    },
    text,
    markdown,
    line: (data) => text(`${data}\n`),
    spans: (spans) => {
      if (!out.isTerminal) return out.write(`${spans.map((span) => span.text).join('')}\n`);
      closeAside();
      textOpen = false;
      return out.write(`${spans.map(drawn).join('')}\n`);
    },
    bytes: (data) => out.write(data),
    json: (value) => out.write(`${encode(value, out.isTerminal, 2)}\n`),
    jsonLine: (value) => out.write(`${encode(value, out.isTerminal)}\n`),
    table: async (columns, rows) => {
      if (rows.length === 0) return;
      await out.write(out.isTerminal ? await drawTable(columns, rows) : tabSeparated(rows));
    },
    note: (words) => {
      if (!quiet) sayLine(sanitise(words));
    },
    dim: (words) => {
      if (!quiet) sayLine(errorStyle()('dim', sanitise(words)));
    },
    aside: (words) => {
      if (quiet || words === '') return;
      closeText();
      say(errorStyle()('dim', err.isTerminal ? sanitise(words) : words));
      asideOpen = !words.endsWith('\n');
    },
    warn: (words) => {
      sayLine(`${errorStyle()('yellow', 'warning:')} ${sanitise(words)}`);
    },
    error: (words) => {
      sayLine(err.isTerminal ? sanitise(words) : words);
    },
    spinner: async (words) => {
      // A dumb terminal cannot take a line back; of one without a width nobody knows how many.
      if (quiet || !err.isTerminal || env['TERM'] === 'dumb') return silentSpinner;
      if (err.open().columns === 0) return silentSpinner;
      const { startSpinner } = await import('./spinner.js');
      return startSpinner(err.open(), sanitise(words), takesColour(env, true));
    },
    flush: async () => {
      closeAside();
      await out.flush();
      await err.flush().catch(() => undefined);
    },
  };
}

const silentSpinner: Spinner = { update: () => undefined, stop: () => undefined };

function encode(value: unknown, isTerminal: boolean, indent?: number): string {
  // JSON has no form for undefined; a reply without a body is null.
  const json = JSON.stringify(value ?? null, undefined, indent);
  return isTerminal ? sanitiseJson(json) : json;
}

async function drawTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): Promise<string> {
  const { drawTable: draw } = await import('./table.js');
  return `${draw(columns, rows)}\n`;
}

function tabSeparated(rows: readonly (readonly string[])[]): string {
  const cell = (value: string) => value.replace(/[\t\r\n]+/g, ' ');
  return rows.map((row) => `${row.map(cell).join('\t')}\n`).join('');
}
