/** Search, in its two forms (section 2.9), and the texts of its results. */
import * as limits from '../contract/limits.js';
import { searchRegion, searchWeb } from '../contract/search.js';
import { json, type Call, type Reply } from './call.js';
import { searchPrices } from './catalog.js';
import { charge, newUsage, toRub } from './charge.js';
import { tooMany } from './failure.js';
import { writingOfCountry, writingOfLanguage } from './search/documents.js';
import type { Query } from './search/ranking.js';
import { admit } from './store/accounts.js';

const { results: counts, requestsPerMinute } = limits.search;
const pace = { action: 'search', max: requestsPerMinute, windowMs: 60_000 } as const;

export async function web(call: Call): Promise<Reply> {
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
export async function region(call: Call): Promise<Reply> {
  const { query, num = counts.default, region = 'ru' } = await call.body(searchRegion.body);
  const placeWriting = region === 'ru' ? 'cyrillic' : undefined;
  return answer(call, { query, count: Math.floor(num), mode: 'turbo', placeWriting });
}

async function answer(call: Call, query: Query): Promise<Reply> {
  const { app, caller, url } = call;
  const waitMs = admit(app.store, app.clock, caller.accountId, pace);
  if (waitMs !== undefined) {
    throw tooMany(`more than ${requestsPerMinute} searches in a minute`, Math.ceil(waitMs / 1000));
  }
  const ranking = await app.corpus.ranking();
  const hits = ranking.find(query);
  const { perRequest, perResult } = searchPrices[query.mode];
  const priceMicroRub = perRequest + perResult * hits.length;
  const facts = { model: 'local/search', route: `:${query.mode}`, priceMicroRub };
  charge(call, newUsage(app, { ...facts, createdAtMs: app.clock.now() }));
  const results = hits.map(({ title, address, snippet }) => {
    return { title, url: new URL(address, url.origin).href, snippet };
  });
  return json({ results, searched: ranking.size, cost_rub: toRub(priceMicroRub) });
}
