/** The prices that a service gives: its list, and what a model costs by it. */
import { call } from '../api/call.js';
import type { Client } from '../api/client.js';
import { modelFacts } from '../api/model-facts.js';
import { catalogEntries, entriesIn, isModelName, withoutChannel } from '../api/models.js';
import { getPricing, listModels } from '../contract/models.js';
import type { GlobalFlags } from '../global-flags.js';
import type { Clock, TimeLimit } from '../lib/clock.js';
import { numberOf, recordOf, textOf } from '../lib/json.js';
import { accountFor } from '../state/account.js';
import type { Paths } from '../state/paths.js';
import type { Settings } from '../state/settings.js';
import { priceCache } from '../state/small-files.js';

/** What spending needs of a run. */
export interface SpendingEnv {
  readonly clock: Clock;
  readonly flags: GlobalFlags;
  readonly paths: Paths;
  readonly settings: () => Settings;
  /** Of the run: what a user takes to answer a question does not count. */
  readonly timeLimit?: TimeLimit | undefined;
}

/** What the service has answered, perhaps some time ago. */
export interface Prices {
  readonly pricing: unknown;
  readonly lengths: unknown;
  /** What the service says that a name costs, of which channels may cost more or less. */
  readonly named?: unknown;
}

/** Where prices come from. */
export interface PriceSource {
  readonly client: Client;
  /** The price list: asked for when it is first needed, and then once an hour. */
  readonly prices: () => Promise<Prices>;
}

const maxAgeMs = 60 * 60 * 1000;

export function priceSource(env: SpendingEnv, client: Client): PriceSource {
  const { clock, flags, paths } = env;
  const read = async () => {
    const isAsked = flags.local || client.tape;
    const cache = isAsked ? undefined : priceCache(paths, accountFor(env, client));
    const saved = cache?.read();
    if (saved && Math.abs(clock.now() - saved.fetchedAtMs) < maxAgeMs) return saved;
    const fresh = { ...(await fetchPrices(client)), fetchedAtMs: clock.now() };
    cache?.keep(fresh);
    return fresh;
  };
  let prices: Promise<Prices> | undefined;
  let readAtMs = -Infinity;
  // A proxy may run for days, and be started before its network.
  const current = () => {
    const isOld = Math.abs(clock.now() - readAtMs) >= maxAgeMs;
    if (prices && !isOld) return prices;
    readAtMs = clock.now();
    const reading = read();
    reading.catch(() => {
      if (prices === reading) prices = undefined;
    });
    return (prices = reading);
  };
  return { client, prices: current };
}

/** The price list, and the context of each model, which limits its answers. */
async function fetchPrices(client: Client): Promise<Prices> {
  const [pricing, models, named] = await Promise.all([
    call(client, getPricing, {}).then(({ data }) => data),
    catalogEntries(client).catch(() => []),
    call(client, listModels, {}).then(
      ({ data }) => data.data,
      () => [],
    ),
  ]);
  const facts = models.map((entry) => modelFacts(entry));
  const lengths: unknown = Object.fromEntries(
    facts.map(({ id, contextTokens }) => [withoutChannel(id), contextTokens]),
  );
  return { pricing, lengths, named };
}

/** RUB per token; NaN where it is not known, or for a price of several. */
interface ModelPrices {
  /** The highest that a channel or a kind of token may cost. */
  readonly maxInputRub: number;
  readonly maxOutputRub: number;
  /** Known where there is only one. */
  readonly inputRub: number;
  readonly outputRub: number;
  readonly contextTokens: number | undefined;
}

/** By list and name: reading a list of many models takes milliseconds. */
const known = new WeakMap<Prices, Map<string, ModelPrices>>();

export function modelPrices(prices: Prices, name = ''): ModelPrices {
  const ofList = known.get(prices) ?? new Map<string, ModelPrices>();
  known.set(prices, ofList);
  const ofModel = ofList.get(name) ?? readPrices(prices, name);
  ofList.set(name, ofModel);
  return ofModel;
}

function readPrices({ pricing, lengths, named }: Prices, name: string): ModelPrices {
  const ownIn = (list: unknown) =>
    (entriesIn(list)?.entries ?? [])
      .map((entry) => modelFacts(entry))
      .filter(({ id, type = '' }) => (name ? isNamed(id, name) : /decision/i.test(type)));
  const own = ownIn(recordOf(pricing)['data']);
  const channels = own.flatMap(({ id, amounts, channels, rest }) => [
    { alias: textOf(rest['variant'] ?? rest['alias']) ?? id, amounts },
    ...channels.map((one) => ({ alias: one.id, amounts: one.amounts })),
  ]);
  // Those of the pinned channel where it has its own, else of every channel.
  // Of two names of channels, the service may take either.
  const channel = name.includes(':') ? name.slice(name.indexOf(':') + 1) : undefined;
  const pinned = channels.filter(({ alias }) => channel && alias.split(':')[1] === channel);
  const amounts = (pinned.length > 0 ? pinned : channels).flatMap(({ amounts }) => amounts);
  const bare = channel === undefined ? ownIn(named).flatMap(({ amounts }) => amounts) : [];
  const rubsOf = (what: RegExp, of = amounts) => {
    const matching = of.filter((amount) => what.test(amount.what));
    return matching.map(({ rub, per = '' }) => (rub < 0 ? NaN : rub / (tokensOf[per] ?? NaN)));
  };
  const highest = (rubs: readonly number[]) => (rubs.length > 0 ? Math.max(...rubs) : NaN);
  const only = ([first = NaN, ...others]: readonly number[]) =>
    others.every((rub) => rub === first) ? first : NaN;
  const length = Object.entries(recordOf(lengths)).find(([id]) => name && isNamed(id, name));
  return {
    maxInputRub: highest(rubsOf(/^(?:in)?$|cache/i)),
    maxOutputRub: highest(rubsOf(/^(?:out)?$|reason|think/i)),
    inputRub: only(rubsOf(/^(?:in)?$/, bare.length > 0 ? bare : amounts)),
    outputRub: only(rubsOf(/^(?:out)?$|reason|think/i, bare.length > 0 ? bare : amounts)),
    contextTokens: numberOf(length?.[1]),
  };
}

const isNamed = (id: string, name: string) => isModelName(name, [withoutChannel(id)]);

const tokensOf: Readonly<Record<string, number>> = { '1M tokens': 1e6, '1K tokens': 1e3, token: 1 };
