/** How a batch gets on: one line on a terminal, a line every 30 s elsewhere, or JSON. */
import type { BatchMoney } from '../../batch/money.js';
import type { BatchProgress } from '../../batch/progress.js';
import type { Context } from '../../context.js';
import { Incomplete } from '../../errors.js';
import { formatRub, sumRub } from '../../lib/amounts.js';
import { formatElapsed } from '../../lib/duration.js';
import type { Language } from '../../lib/language.js';
import type { ScreenView } from '../../terminal/types.js';

export interface Watched {
  readonly progress: BatchProgress;
  readonly money: Pick<BatchMoney, 'spentRub'>;
  /** Requests of this run, and what earlier runs have settled. */
  readonly todo: number;
  readonly before: { readonly done: number; readonly failed: number; readonly spentRub: number };
  readonly maxCostRub: number | undefined;
  readonly startedAtMs: number;
}

const everyMs = 30_000;

/** What is known now, for programs. */
export function standing(watched: Watched, nowMs: number) {
  const { before, money, progress, todo } = watched;
  const { cached, done, failed, inFlight, tokens, unknown } = progress;
  const seconds = Math.max(0.001, (nowMs - watched.startedAtMs) / 1000);
  const perSecond = (done + failed) / seconds;
  const left = todo - done - failed - unknown.length;
  return {
    total: todo + before.done + before.failed,
    done: before.done + done,
    cached: cached > 0 ? cached : undefined,
    failed: before.failed + failed,
    unknown: unknown.length,
    left,
    inFlight,
    perSecond: Number(perSecond.toFixed(1)),
    tokensPerSecond: Math.round(tokens / seconds),
    cost: {
      priceRub: sumRub([money.spentRub]),
      inAllRub: sumRub([before.spentRub, money.spentRub]),
    },
    maxCostRub: watched.maxCostRub ?? null,
    leftSeconds: perSecond > 0 ? Math.ceil(left / perSecond) : null,
  };
}

/** What this run has spent, and where they differ all runs. */
export function spentWords(
  { priceRub: now, inAllRub: all }: ReturnType<typeof standing>['cost'],
  language: Language,
): string {
  const ofNow = formatRub(now, language);
  return now === all ? ofNow : `${ofNow} now, ${formatRub(all, language)} in all`;
}

/** The most important first: what does not fit is left out at the end. */
export function progressWords(
  watched: Watched,
  nowMs: number,
  { columns, language }: Pick<ScreenView, 'columns' | 'language'>,
): string {
  const now = standing(watched, nowMs);
  const ceiling = now.maxCostRub === null ? '' : ` of ${formatRub(now.maxCostRub, language)}`;
  const parts = [
    `${now.done}/${now.total}`,
    now.failed > 0 && `${now.failed} failed`,
    now.unknown > 0 && `${now.unknown} unknown`,
    now.leftSeconds !== null && `${formatElapsed(now.leftSeconds * 1000)} left`,
    now.cost.inAllRub > 0 && `${spentWords(now.cost, language)}${ceiling}`,
    `${now.perSecond}/s`,
    `${now.inFlight} in flight`,
    now.tokensPerSecond > 0 && `${now.tokensPerSecond} tokens/s`,
  ].filter((part) => part !== false);
  let line = '';
  for (const part of parts) {
    const longer = line === '' ? part : `${line} · ${part}`;
    if (longer.length > columns) break;
    line = longer;
  }
  return line;
}

/** @returns what ends it */
export async function watch(
  { clock, flags, out }: Context,
  form: 'text' | 'json' | 'none' | undefined,
  watched: Watched,
): Promise<() => void> {
  if (form === 'none' || flags.quiet) return () => undefined;
  // The spinner takes two columns.
  const words = () => {
    const { errorColumns, language } = out;
    return progressWords(watched, clock.now(), { columns: errorColumns - 3, language });
  };
  if (form !== 'json' && out.isErrorTerminal) {
    const spinner = await out.spinner(words());
    spinner.update(words);
    return () => spinner.stop();
  }
  const print = () => {
    out.error(form === 'json' ? JSON.stringify(standing(watched, clock.now())) : words());
  };
  const timer = setInterval(print, everyMs).unref();
  return () => {
    clearInterval(timer);
    // A run may be shorter.
    if (form === 'json') print();
  };
}

export const resuming = (output: string | undefined) =>
  output === undefined
    ? 'with -o FILE, the same command would send only what is missing'
    : 'the same command continues where it stopped';

/** @param output undefined for stdout, which nothing can be done with later */
export function assertComplete(
  { failed, left, total, unknown }: ReturnType<typeof standing>,
  output: string | undefined,
): void {
  const missing = failed + unknown + left;
  if (missing === 0) return;
  let hint = resuming(output);
  if (output !== undefined && failed === missing) hint = '`svc batch report` shows why';
  else if (output !== undefined && unknown > 0 && left === 0)
    hint = 'send them again with --unknown retry';
  const words = `${missing} of ${counted(total, 'request')} without an answer`;
  throw new Incomplete(words, { code: 'batch_incomplete', hint });
}

export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
