/** Streams that play terminals, pipes, and what goes wrong with both. */
import { Writable } from 'node:stream';
import { TerminalOutput } from '../../src/terminal/output.js';
import type { Output } from '../../src/terminal/types.js';

/** A stream that keeps what it is given; several may write to one screen. */
export class Screen extends Writable {
  readonly isTTY: boolean;
  columns: number | undefined = 100;
  readonly #shown: Buffer[];

  constructor({ tty = true, shown = [] }: { tty?: boolean; shown?: Buffer[] } = {}) {
    super();
    this.isTTY = tty;
    this.#shown = shown;
  }

  get text(): string {
    return Buffer.concat(this.#shown).toString('utf8');
  }

  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    this.#shown.push(Buffer.from(bytes));
    done();
  }

  // What a spinner asks of a terminal.
  cursorTo(column: number): boolean {
    return this.write(`\u001b[${String(column + 1)}G`);
  }
  clearLine(): boolean {
    return this.write('\u001b[0K');
  }
  moveCursor(): boolean {
    return true;
  }
}

interface StageOptions {
  tty?: boolean | { stdout: boolean; stderr: boolean };
  env?: Readonly<Record<string, string>>;
  quiet?: boolean;
  /** True when both streams are one screen. */
  shared?: boolean;
}

/** An output to two screens. */
export function stage({ tty = true, env = {}, quiet = false, shared }: StageOptions = {}) {
  const shown: Buffer[] | undefined = shared ? [] : undefined;
  const stdout = new Screen({ tty: typeof tty === 'boolean' ? tty : tty.stdout, shown });
  const stderr = new Screen({ tty: typeof tty === 'boolean' ? tty : tty.stderr, shown });
  const onStdoutFailure = () => undefined;
  const out: Output = new TerminalOutput({
    streams: { stdout, stderr },
    env,
    quiet,
    onStdoutFailure,
  });
  return { out, stdout, stderr };
}

/**
 * The characters of a text that a terminal obeys in place of showing, or that reorder what
 * stands around them: by their Unicode properties, with line feeds and tabs left out.
 */
export function liveIn(text: string): string[] {
  return Array.from(text.matchAll(/[\p{Cc}\p{Bidi_Control}]/gu), ([character]) => character).filter(
    (character) => character !== '\n' && character !== '\t',
  );
}

/** Texts that do something to some terminal. */
export const attacks: readonly (readonly [name: string, text: string])[] = [
  ['colours', '\u001b[31mred\u001b[0m'],
  ['a cleared screen', '\u001b[2J\u001b[H'],
  ['another screen', '\u001b[?1049h'],
  ['a full reset', '\u001bc'],
  ['a window title', '\u001b]0;title\u0007'],
  ['a clipboard', '\u001b]52;c;ZXZpbA==\u001b\\'],
  ['a link', '\u001b]8;;https://example.org\u001b\\here\u001b]8;;\u001b\\'],
  ['a device string', '\u001bP$qm\u001b\\'],
  ['an application command', '\u001b_Gf=24;\u001b\\'],
  ['a privacy message', '\u001b^x\u001b\\'],
  ['a start of string', '\u001bXx\u001b\\'],
  ['a report that is typed back', '\u001b[6n\u001b[21t\u0005'],
  ['another character set', '\u000e\u001b(0\u000f'],
  ['a line written over', 'evil\rgood\u001b[K'],
  ['letters taken back', 'evil\b\b\b\bgood'],
  ['a bell, a form feed, a vertical tab', '\u0007\u000c\u000b'],
  ['deleted letters', 'a\u007f'],
  ['sequences of one byte', '\u009b31m\u009d0;title\u009c\u0090q\u009c\u009e\u009f\u0098'],
  ['a next line and an index', '\u0085\u0084\u008d'],
  ['text that runs the other way', 'a\u202eb\u202cc\u2066d\u2069\u200f\u200e\u061c'],
  ['every control', Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).join('')],
];
