/** Whether and how a stream takes colour. */
import type { Env } from '../lib/env.js';

export interface Style {
  dim(text: string): string;
  bold(text: string): string;
  italic(text: string): string;
  underline(text: string): string;
  cyan(text: string): string;
  red(text: string): string;
  yellow(text: string): string;
}

const paint =
  (open: number, close: number) =>
  (text: string): string =>
    `\u001b[${String(open)}m${text}\u001b[${String(close)}m`;
const plain = (text: string): string => text;

const coloured: Style = {
  dim: paint(2, 22),
  bold: paint(1, 22),
  italic: paint(3, 23),
  underline: paint(4, 24),
  cyan: paint(36, 39),
  red: paint(31, 39),
  yellow: paint(33, 39),
};
const uncoloured: Style = {
  dim: plain,
  bold: plain,
  italic: plain,
  underline: plain,
  cyan: plain,
  red: plain,
  yellow: plain,
};

export function styleFor(env: Env, isTerminal: boolean): Style {
  return takesColour(env, isTerminal) ? coloured : uncoloured;
}

/** NO_COLOR wins, then FORCE_COLOR, then whether the stream is a terminal that is not dumb. */
export function takesColour(env: Env, isTerminal: boolean): boolean {
  if (env['NO_COLOR']) return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  return isTerminal && env['TERM'] !== 'dumb';
}
