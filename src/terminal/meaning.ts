/** What a colour says. Outside of answers, JSON and questions, svc colours only what is said here. */
import { localeOf, type Env } from '../lib/env.js';
import type { Meaning, Style } from './screen.js';

/** A mark and the word for it, then the words of states that mean the same. */
const signs: readonly (readonly [meaning: Meaning, words: string])[] = [
  ['done', '✓ ok done success succeeded active replied'],
  ['failed', '✗ failed fail problem refused unpaid'],
  [
    'waiting',
    '! warning queued running unknown submitting processing in_progress pending open missing',
  ],
  ['over', '– skipped closed expired'],
];

const meanings = new Map(
  signs.flatMap(([meaning, words]) => words.split(' ').map((word) => [word, meaning] as const)),
);

/** What a state below STATE or СТАТУС means, or a count below the name of a state. */
export function meaningOf(title: string, cell: string): Meaning | undefined {
  const name = title.toLowerCase();
  if (/^(?:stat(?:e|us)|статус)$/.test(name)) return meanings.get(cell);
  return /^[1-9]/.test(cell) ? meanings.get(name) : undefined;
}

/** `2 failed` in its colour, within a line of progress. */
export function withColouredCounts(line: string, style: Style): string {
  return line.replace(/\b[1-9]\d* (\w+)/g, (count, word: string) => {
    return style(meanings.get(word), count);
  });
}

/** A word where lines are read aloud, or the letters of the terminal are not known to have the mark. */
export function markFor(meaning: Meaning, env: Env, isPlain = false): string {
  const [mark = '', word = ''] = signs.find(([one]) => one === meaning)?.[1].split(' ') ?? [];
  return !isPlain && /utf-?8/i.test(localeOf(env) ?? 'utf-8') ? mark : word;
}
