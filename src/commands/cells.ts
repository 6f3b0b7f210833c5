/** Prices and times on stdout: for people on a terminal, plain and exact in a pipe. */
import type { Context } from '../cli/context.js';
import { formatRub } from '../lib/amounts.js';
import { formatAge } from '../lib/duration.js';
import { localMoment } from '../lib/moment.js';

interface Screen {
  readonly out: Pick<Context['out'], 'isTerminal'>;
  readonly clock: Pick<Context['clock'], 'now'>;
}

/** `1,234.50 RUB`, in a pipe `1234.50 RUB`. */
export function rubCell({ out }: Pick<Screen, 'out'>, amountRub: number): string {
  return formatRub(amountRub, { isGrouped: out.isTerminal });
}

/** @param at milliseconds, or the service's own text, which a pipe gets unchanged. */
function momentCell(
  { out, clock }: Screen,
  at: number | string | undefined,
  words: (atMs: number, distance: string) => string,
): string {
  if (at === undefined) return '';
  const atMs = typeof at === 'number' ? at : Date.parse(at);
  if (Number.isNaN(atMs)) return String(at);
  if (!out.isTerminal) return typeof at === 'number' ? new Date(at).toISOString() : at;
  const nowMs = clock.now();
  const age = formatAge(Math.abs(nowMs - atMs));
  return words(atMs, atMs > nowMs ? `in ${age}` : `${age} ago`);
}

/** `2 min ago`, `in 5 d`: for lists. */
export function distanceCell(screen: Screen, at: number | string | undefined): string {
  return momentCell(screen, at, (_, distance) => distance);
}

/** `2026-11-01 09:30 (2 min ago)`, in the reader's time zone: for one thing shown in full. */
export function fullMomentCell(screen: Screen, at: number | string | undefined): string {
  return momentCell(screen, at, (atMs, distance) => `${localMoment(atMs)} (${distance})`);
}
