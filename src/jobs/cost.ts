/** What a call cost, or may cost when it is interrupted. */
import type { Client } from '../api/client.js';
import { costOf, type Cost } from '../api/cost.js';
import { mayBeCharged } from '../api/failure.js';
import { idsIn } from '../api/prepare.js';
import type { Context } from '../context.js';
import { SvcError, type RequestIds, ReaderGone } from '../errors.js';
import { AttemptFailed, type HttpRequest, type Sink, type Transport } from '../http/types.js';
import { comparing, formatRub } from '../lib/amounts.js';
import type { CostTexts } from '../texts/cost.js';
import { textsIn } from '../texts/load.js';

/** Whether the cost is shown; asking for it takes one or two calls. */
export function isCostSeen({ out, flags }: Context): boolean {
  const isRead = out.isErrorTerminal || out.isForAgent || flags.verbose;
  return flags.json || (isRead && !flags.quiet);
}

export async function costFor(
  context: Context,
  client: Client,
  { ids, priceRub }: { ids: RequestIds; priceRub?: number },
): Promise<Cost> {
  const isAsked = priceRub === undefined || ids.cached === true;
  const cost = await costOfAll(context, client, isAsked ? [ids] : []);
  if (cost.cached) return cost;
  return { ...cost, priceRub: priceRub ?? cost.priceRub };
}

/** What several requests have cost together, and the balance; nothing is asked where it is not shown. */
export function costOfAll(
  context: Context,
  client: Client,
  ids: readonly RequestIds[],
): Promise<Cost> {
  if (!isCostSeen(context)) return Promise.resolve({});
  return costOf(client, ids);
}

/** The ids of a command's requests in --json: of several, those of the last, and `allIds`. */
export function idsJson(all: readonly RequestIds[]) {
  return { ids: all.at(-1) ?? {}, allIds: all.length > 1 ? all : undefined };
}

/** Shows people what was paid. @param before what stands before that, in the words of their language */
export async function writeCost(
  context: Context,
  cost: Cost,
  before: (words: CostTexts) => readonly string[] = () => [],
): Promise<void> {
  const isShown = !context.flags.json && isCostSeen(context);
  if (isShown) await showCost(context, cost, before);
  warnIfLow(context, cost.balanceRub);
}

async function showCost(
  context: Context,
  { priceRub, balanceRub, cached }: Cost,
  before: (words: CostTexts) => readonly string[],
): Promise<void> {
  const { out } = context;
  // An update of svc during the run may have removed their file: what is paid for ends as it would.
  const texts = await textsIn(out.language).catch(() => undefined);
  if (!texts) return;
  const words = texts.cost;
  const parts = [...before(words)];
  const leftRub = context.spending.ofRun?.leftRub() ?? Infinity;
  const rub = (amount: number) => formatRub(amount, out.language);
  if (priceRub !== undefined) parts.push(rub(priceRub));
  if (cached) parts.push(words.cached);
  if (balanceRub !== undefined) parts.push(words.balance(rub(balanceRub)));
  if (leftRub !== Infinity && parts.length > 0) parts.push(words.budgetLeft(rub(leftRub)));
  // As few lines as hold each part whole.
  const add = (lines: string, part: string) => {
    const line = `${lines.slice(lines.lastIndexOf('\n') + 1)} · ${part}`;
    const isFull = out.isErrorTerminal && line.length > out.columns;
    return `${lines}${isFull ? '\n' : ' · '}${part}`;
  };
  if (parts.length > 0) out.dim(parts.reduce(add));
}

/** Commands that have warned; some read the balance several times. */
const warned = new WeakSet<Context['out']>();

/** Warns once per command when the balance is below the profile's `low_balance`. */
export function warnIfLow(context: Context, balanceRub = Infinity): void {
  const { lowBalanceRub } = context.settings();
  if (lowBalanceRub === undefined || balanceRub >= lowBalanceRub || warned.has(context.out)) return;
  warned.add(context.out);
  const rub = comparing(balanceRub, lowBalanceRub);
  context.out.warn(`the balance of ${rub(balanceRub)} is below your ${rub(lowBalanceRub)}`);
}

interface Interruption {
  /** What may have been charged, in words. */
  readonly words?: () => string;
  /** Gets what it has cost, as far as that is known. */
  readonly onCost?: (cost: Cost) => void;
}

/** Warns a user who interrupts paid work, unless it has `reported` that, and shows the price. */
export async function mayCost<Result>(
  context: Context,
  client: Client,
  work: (paying: Client, reported: () => void) => Promise<Result>,
  { words = () => 'the interrupted request', onCost }: Interruption = {},
): Promise<Result> {
  const { out, flags, commandHint, signal } = context;
  // Only POST requests are paid for. Those that had ended do not count.
  const underWay = new Map<HttpRequest, RequestIds>();
  const transport: Transport = async (request) => {
    if (request.method !== 'POST') return client.transport(request);
    const ended = () => {
      if (!signal.aborted) underWay.delete(request);
    };
    underWay.set(request, {});
    try {
      const response = await client.transport(request);
      if (response.status >= 300) underWay.delete(request);
      else underWay.set(request, idsIn(response, client.brand));
      return { ...response, pipe: (sink: Sink) => response.pipe(sink).finally(ended) };
    } catch (error) {
      if (error instanceof AttemptFailed && !error.sent) underWay.delete(request);
      ended();
      throw error;
    }
  };
  try {
    return await work({ ...client, transport }, () => underWay.clear());
  } catch (error) {
    const reason: unknown = signal.reason;
    // A closed pipe needs no message, and a full disk has its own.
    const isPerson =
      signal.aborted && !(reason instanceof ReaderGone || reason instanceof SvcError);
    if (isPerson && underWay.size > 0) {
      out.sentence(commandHint(`${words()} ${mayBeCharged}`));
      const ids = [...underWay.values()];
      const isKnown = ids.every(({ generationId }) => generationId !== undefined);
      const isAsked = !flags.json && isCostSeen(context) && isKnown;
      const { signal } = new AbortController();
      const cost = isAsked ? await costOf({ ...client, signal }, ids) : {};
      onCost?.(cost);
      await writeCost(context, cost);
    }
    throw error;
  }
}
