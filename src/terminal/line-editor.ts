/** Texts typed at a terminal: edited over several lines, with history, completion, whole pastes. */
import process from 'node:process';
import { createInterface, emitKeypressEvents, type Key } from 'node:readline';
import { PassThrough, Writable, type Readable } from 'node:stream';
import type { Env } from '../lib/env.js';
import { styleFor } from './screen.js';
import { lineFeed, marks, textArea, type Screen } from './text-area.js';

interface Streams {
  readonly stdin: Readable & { setRawMode?: (isRaw: boolean) => unknown };
  readonly stderr: Screen;
}

export interface Editing {
  readonly env: Env;
  /** Earlier texts, newest first. */
  readonly history: readonly string[];
  /** What the text before the cursor can become. */
  readonly complete: (before: string) => Promise<readonly string[]>;
}

interface Press {
  readonly text?: string;
  readonly key: Key;
}

export type LineEditor = ReturnType<typeof openLineEditor>;

/** A longer paste, or earlier text, is shown as a mark. */
const mostShown = { lines: 10, characters: 1000 };

/** Takes the terminal until it is closed. */
export function openLineEditor(
  { stdin, stderr }: Streams,
  signal: AbortSignal,
  { complete, env, history }: Editing,
) {
  // A dumb terminal edits by itself, a line at a time.
  const isDumb = env['TERM'] === 'dumb';
  const area = textArea(stderr, styleFor(env, true));
  const folds = new Map<string, string>();
  const folded = (text: string): string => {
    const line = text.replace(/\r\n?|[\n\u2028\u2029]/g, lineFeed).replace(/\v$/, '');
    const lines = line.split(lineFeed).length;
    if (lines <= mostShown.lines && line.length <= mostShown.characters) return line;
    const size = lines > 1 ? `${lines} lines` : `${line.length} characters`;
    const mark = `[text ${folds.size + 1}: ${size}]`;
    folds.set(mark, line);
    return mark;
  };
  const unfolded = (line: string): string => {
    const whole = line.replace(/\[text \d+: \d+ \w+\]/g, (mark) => folds.get(mark) ?? mark);
    return whole.replaceAll(lineFeed, '\n');
  };

  // readline edits; what it draws is dropped, because it knows only one line.
  const readline = createInterface({
    input: new PassThrough(),
    output: new Writable({ write: (_text, _encoding, done) => done() }),
    terminal: true,
    history: history.map(folded),
    historySize: 1000,
    removeHistoryDuplicates: true,
  });
  const press = (name: string, ctrl = false) => readline.write(null, { name, ctrl });
  const insert = (text: string) => readline.write(text);
  const replaceLine = (text: string) => {
    press('e', true);
    press('u', true);
    insert(text);
  };
  let note = '';
  /** Whether the text is an earlier one as it was: then the next key goes to another. */
  let isEarlier = false;

  const completeText = async () => {
    const before = readline.line.slice(0, readline.cursor);
    const texts = await complete(before).catch(() => []);
    let common = texts[0] ?? before;
    while (!texts.every((text) => text.startsWith(common))) common = common.slice(0, -1);
    if (common.startsWith(before)) insert(common.slice(before.length));
    // A name may have ё where е was typed.
    else if (texts.length === 1 && readline.line === before) replaceLine(common);
    if (texts.length > 1 && common.length <= before.length) {
      note = texts.map((text) => text.slice(before.lastIndexOf(' ') + 1)).join('  ');
    } else if (texts.length === 1 && !common.endsWith('/')) insert(' ');
  };
  /** Moves between the lines of a text. @returns false at its first or last line. */
  const moveLine = (by: -1 | 1): boolean => {
    const lines = readline.line.split(lineFeed);
    const before = readline.line.slice(0, readline.cursor).split(lineFeed);
    const target = lines[before.length - 1 + by];
    if (target === undefined) return false;
    const column = Math.min(before.at(-1)?.length ?? 0, target.length);
    const above = lines.slice(0, before.length - 1 + by);
    const place = above.reduce((sum, line) => sum + line.length + 1, column);
    while (readline.cursor > place) press('left');
    while (readline.cursor < place) press('right');
    return true;
  };
  const suspend = () => {
    release();
    // It returns when svc goes on; at once where no shell could continue it.
    process.kill(process.pid, 'SIGTSTP');
    take();
    area.forget();
    if (isReading) area.draw(readline.line, readline.cursor, note);
  };
  /** @returns whether the text is complete: true after Enter, undefined to leave. */
  const handle = async ({ text = '', key }: Press): Promise<boolean | undefined> => {
    const name = `${key.ctrl ? 'ctrl-' : ''}${key.meta ? 'meta-' : ''}${key.name ?? ''}`;
    const isEnter = name === 'return' || (isDumb && name === 'enter');
    const isArrow = name === 'up' || name === 'down';
    const wasEarlier = isEarlier;
    [note, isEarlier] = ['', false];
    if (isDumb && !isEnter && text < ' ') return false;
    if (isEnter) {
      const { line, cursor } = readline;
      const continues = cursor === line.length && line.endsWith('\\');
      if (!continues && !isOpen(unfolded(line))) return true;
      // On a dumb terminal readline only adds letters.
      if (continues && !isDumb) press('backspace');
      if (!continues) note = 'end the text with """';
      insert(lineFeed);
      if (isDumb) stderr.write(marks.more);
    } else if (name === 'paste') insert(folded(text));
    else if (name === 'tab') await completeText();
    // Ctrl-J and Alt-Enter.
    else if (name === 'enter' || name === 'meta-return') insert(lineFeed);
    else if (name === 'ctrl-c' && readline.line !== '') replaceLine('');
    else if (name === 'ctrl-c') note = 'Ctrl-D leaves';
    else if (name === 'ctrl-d' && readline.line === '') return undefined;
    // Windows stops no process.
    else if (name === 'ctrl-z' && process.platform !== 'win32') suspend();
    else if (!isArrow) readline.write(text, key);
    else if (wasEarlier || !moveLine(name === 'up' ? -1 : 1)) {
      readline.write(text, key);
      isEarlier = true;
    }
    return false;
  };

  /** Keys typed during an answer wait for the next prompt. */
  let waiting: Press[] = [];
  let [isReading, isOver] = [false, false];
  let wake: () => void = () => undefined;
  let stop: (() => void) | undefined;
  let pasted: string | undefined;
  const onKey = (text: string | undefined, key: Key) => {
    if (key.name === 'paste-start') pasted = '';
    else if (key.name === 'paste-end') {
      waiting.push({ text: pasted, key: { name: 'paste' } });
      pasted = undefined;
    } else if (pasted !== undefined) pasted += key.sequence ?? '';
    else if (stop && key.ctrl && key.name === 'c') {
      waiting = [];
      stop();
    } else waiting.push({ text, key });
    wake();
  };
  const onEnd = () => {
    isOver = true;
    stop?.();
    wake();
  };
  const onResize = () => {
    if (isReading && !isDumb) area.resize(readline.line, readline.cursor, note);
  };
  const take = () => {
    stdin.setRawMode?.(!isDumb);
    if (!isDumb) stderr.write('\u001b[?2004h');
    stdin.resume();
    process.on('SIGTSTP', suspend);
  };
  const release = () => {
    process.off('SIGTSTP', suspend);
    stdin.setRawMode?.(false);
    if (!isDumb) stderr.write('\u001b[?2004l');
    stdin.pause();
  };
  emitKeypressEvents(stdin);
  stdin.on('keypress', onKey).on('end', onEnd).on('error', onEnd);
  stderr.on('resize', onResize);
  signal.addEventListener('abort', () => wake(), { once: true });
  // After an exception too.
  process.once('exit', release);
  take();

  const readText = async (): Promise<string | undefined> => {
    if (isDumb) stderr.write(marks.first);
    for (;;) {
      if (waiting.length === 0 && !isDumb) area.draw(readline.line, readline.cursor, note);
      while (waiting.length === 0 && !isOver && !signal.aborted) {
        await new Promise<void>((resolve) => (wake = resolve));
      }
      if (signal.aborted) stderr.write('\r\n');
      signal.throwIfAborted();
      const next = waiting.shift();
      const isWhole = next && (await handle(next));
      const { line } = readline;
      if (isWhole === false) continue;
      if (!isDumb) area.end(line);
      press('return');
      const typed = isDumb ? line.replaceAll(`\\${lineFeed}`, lineFeed) : line;
      return isWhole && unfolded(typed).replace(/^\s*"""\n?([^]*?)\n?"""\s*$/, '$1');
    }
  };
  return {
    /** The next text; undefined after Ctrl-D. */
    read: async (): Promise<string | undefined> => {
      isReading = true;
      return readText().finally(() => (isReading = false));
    },
    /** Does work that Ctrl-C stops. */
    during: async <Result>(onStop: () => void, work: () => Promise<Result>): Promise<Result> => {
      stop = onStop;
      stdin.setRawMode?.(true);
      return work().finally(() => {
        stop = undefined;
        stdin.setRawMode?.(!isDumb);
      });
    },
    /** Leaves the terminal to another program, or to a question. */
    without: async <Result>(work: () => Promise<Result>): Promise<Result> => {
      release();
      stdin.off('keypress', onKey);
      return work().finally(() => {
        stdin.on('keypress', onKey);
        take();
      });
    },
    close: (): void => {
      release();
      process.off('exit', release);
      stdin.off('keypress', onKey).off('end', onEnd).off('error', onEnd);
      stderr.off('resize', onResize);
      readline.close();
    },
  };
}

const isOpen = (text: string) => /^\s*"""/.test(text) && !/^\s*"""[^]*"""\s*$/.test(text);
