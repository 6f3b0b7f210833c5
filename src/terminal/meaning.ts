/** What a colour says. Outside of answers and JSON, svc colours only what is said here. */
import { localeOf, type Env } from '../lib/env.js';
import type { Meaning, Style } from './screen.js';

/** A mark, and the word for it; what else has the meaning. */
const signs: Readonly<Record<Meaning, readonly [mark: string, word: string, more: string]>> = {
  done: ['✓', 'ok', 'done success succeeded active replied'],
  failed: ['✗', 'failed', 'fail problem refused unpaid'],
  waiting: [
    '!',
    'warning',
    'queued running unknown submitting processing in_progress pending open',
  ],
  over: ['–', 'skipped', 'closed expired'],
};

const meanings: ReadonlyMap<string, Meaning> = new Map(
  (['done', 'failed', 'waiting', 'over'] as const).flatMap((meaning) =>
    signs[meaning].flatMap((words) => words.split(' ')).map((word) => [word, meaning] as const),
  ),
);

/** Of a state below STATE or STATUS, and of a count below the name of a state. */
export function meaningOf(title: string, cell: string): Meaning | undefined {
  const name = title.toLowerCase();
  if (/^stat(e|us)$/.test(name)) return meanings.get(cell);
  return /^[1-9]/.test(cell) ? meanings.get(name) : undefined;
}

/** `2 failed` in its colour, within a line of progress. */
export function withColouredCounts(line: string, style: Style): string {
  return line.replace(/\b[1-9]\d* (\w+)/g, (count, word: string) => {
    const meaning = meanings.get(word);
    return meaning ? style(meaning, count) : count;
  });
}

/** A word where lines are read aloud, or the letters of the terminal are not known to have the mark. */
export function markFor(meaning: Meaning, env: Env, isPlain = false): string {
  const [mark, word] = signs[meaning];
  return !isPlain && /utf-?8/i.test(localeOf(env) ?? 'utf-8') ? mark : word;
}
