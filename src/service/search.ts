/** Search, in its two forms (section 2.9). */
import type { searchModes } from '../contract/enums.js';
import * as limits from '../contract/limits.js';
import { searchRegion, searchWeb } from '../contract/search.js';
import { json, type Call } from './call.js';
import { charge, newUsage } from './charge.js';
import { ServiceFailure } from './failure.js';
import { toRub } from './money.js';
import { writingOfCountry, writingOfLanguage } from './search/document.js';
import { searchModel, searchPrices } from './search/prices.js';
import type { Wanted } from './search/ranking.js';
import { admit } from './store/accounts.js';

const { results: counts, requestsPerMinute } = limits.search;
const pace = { action: 'search', most: requestsPerMinute, windowMs: 60_000 } as const;

/** POST /v1/search */
export async function web(call: Call): Promise<Response> {
  const body = await call.body(searchWeb.body);
  const { query, max_results: count = counts.default, mode = 'turbo', language, country } = body;
  return answer(call, {
    query,
    count,
    mode,
    writing: language === undefined ? undefined : writingOfLanguage(language),
    placeWriting: country === undefined ? undefined : writingOfCountry(country),
  });
}

/** POST /api/search: always in the fixed mode. */
export async function region(call: Call): Promise<Response> {
  const { query, num = counts.default, region = 'ru' } = await call.body(searchRegion.body);
  return answer(call, {
    query,
    count: Math.floor(num),
    mode: 'turbo',
    placeWriting: region === 'ru' ? writingOfCountry('RU') : undefined,
  });
}

async function answer(call: Call, wanted: Wanted): Promise<Response> {
  const { house, caller, url } = call;
  const waitMs = admit(house.store, house.clock, caller.accountId, pace);
  if (waitMs !== undefined) throw tooMany(waitMs);
  const ranking = await house.corpus.ranking();
  const found = ranking.find(wanted);
  const priceMicroRub = priceOf(wanted.mode, found.length);
  const [route, createdAtMs] = [`:${wanted.mode}`, house.clock.now()];
  const usage = newUsage(house, { model: searchModel, route, priceMicroRub, createdAtMs });
  const headers = charge(call, usage);
  const results = found.map(({ title, address, snippet }) => ({
    title,
    url: new URL(address, url.origin).href,
    snippet,
  }));
  return json({ results, searched: ranking.size, cost_rub: toRub(priceMicroRub) }, 200, headers);
}

function priceOf(mode: (typeof searchModes)[number], count: number): number {
  const { perRequest, perResult } = searchPrices[mode];
  return perRequest + perResult * count;
}

function tooMany(waitMs: number): ServiceFailure {
  const seconds = Math.ceil(waitMs / 1000);
  return new ServiceFailure(
    429,
    'rate_limit_exceeded',
    `more than ${requestsPerMinute} searches in a minute: wait ${seconds} ${seconds === 1 ? 'second' : 'seconds'}`,
    { headers: { 'retry-after': String(seconds) } },
  );
}
