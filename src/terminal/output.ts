/** The only writer to stdout and stderr: data to the one, words for people to the other. */
import type { Writable } from 'node:stream';
import { sanitise, sanitiseJson } from './sanitise.js';
import { styleFor } from './style.js';
import type { Column, Output, Spinner } from './types.js';
import { Writer } from './writer.js';

/** A stream as node gives it: terminals say so. */
export type OutputStream = Writable & { isTTY?: boolean; columns?: number };

export interface OutputOptions {
  stdout: OutputStream;
  stderr: OutputStream;
  env: Readonly<Record<string, string | undefined>>;
  quiet: boolean;
  /** Told once when stdout can take no more: its reader is gone, or the disk is full. */
  onStdoutFailure: (failure: Error) => void;
}

export function createOutput(options: OutputOptions): Output {
  const { stdout, stderr, env, quiet } = options;
  const out = new Writer(stdout, 'stdout', options.onStdoutFailure);
  // Words for people may be lost without harm: a gone stderr stops nothing.
  const err = new Writer(stderr, 'stderr', () => undefined);
  const isTerminal = stdout.isTTY === true;
  const isErrorTerminal = stderr.isTTY === true;
  const errorStyle = styleFor(env, isErrorTerminal);
  let asideOpen = false;

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
  const sayLine = (text: string): void => {
    closeAside();
    say(`${text}\n`);
  };
  const text = (data: string): void | Promise<void> => {
    if (isTerminal && isErrorTerminal) closeAside();
    return out.write(isTerminal ? sanitise(data) : data);
  };

  return {
    isTerminal,
    isErrorTerminal,
    columns: stdout.columns ?? 80,
    text,
    line: (data) => text(`${data}\n`),
    bytes: (data) => out.write(data),
    json: (value) => out.write(`${encode(value, isTerminal, 2)}\n`),
    jsonLine: (value) => out.write(`${encode(value, isTerminal)}\n`),
    table: async (columns, rows) => {
      if (rows.length === 0) return;
      await out.write(isTerminal ? await drawTable(columns, rows) : tabSeparated(rows));
    },
    note: (words) => {
      if (!quiet) sayLine(sanitise(words));
    },
    dim: (words) => {
      if (!quiet) sayLine(errorStyle.dim(sanitise(words)));
    },
    aside: (words) => {
      if (quiet || words === '') return;
      say(errorStyle.dim(isErrorTerminal ? sanitise(words) : words));
      asideOpen = !words.endsWith('\n');
    },
    warn: (words) => {
      sayLine(`${errorStyle.yellow('warning:')} ${sanitise(words)}`);
    },
    error: (words) => {
      sayLine(isErrorTerminal ? sanitise(words) : words);
    },
    spinner: async (words) => {
      if (quiet || !isErrorTerminal) return silentSpinner;
      const { startSpinner } = await import('./spinner.js');
      return startSpinner(stderr, sanitise(words));
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
