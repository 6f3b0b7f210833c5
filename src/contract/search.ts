/** Web search (sections 2.9 and 4.6). */
import * as z from 'zod/mini';
import { write } from './endpoint.js';
import { searchModes, searchRegions } from './enums.js';
import * as limits from './limits.js';
import { characters, text, number } from './fields.js';

const { queryCharacters, results, twoLetters } = limits.search;
const TwoLetters = z.string().check(z.regex(twoLetters, { error: 'must be two letters' }));

/** Section 2.9, first form. There, num may be any number, not only a whole one. */
export const RegionalSearchRequest = z.looseObject({
  query: characters({ max: queryCharacters.max }),
  num: z.optional(z.number().check(z.gte(results.min), z.lte(results.max))),
  region: z.optional(z.enum(searchRegions)),
});

/** Section 2.9, second form. */
export const SearchRequest = z.looseObject({
  query: characters(queryCharacters),
  max_results: z.optional(z.int().check(z.gte(results.min), z.lte(results.max))),
  country: z.optional(TwoLetters),
  language: z.optional(TwoLetters),
  mode: z.optional(z.enum(searchModes)),
});

export const SearchReply = z.looseObject({
  results: z.array(z.looseObject({ title: text, url: text, snippet: text })),
  searched: number,
  cost_rub: number,
});

export const searchRegion = write('search.region', '/api/search', '4.6', {
  summary: 'Search the web of a region',
  body: RegionalSearchRequest,
  returns: SearchReply,
  statuses: [200, 401, 402, 429],
  paid: 'search',
});

export const searchWeb = write('search.web', '/v1/search', '4.6', {
  summary: 'Search the web',
  body: SearchRequest,
  returns: SearchReply,
  statuses: [200, 401, 402, 429],
  paid: 'search',
});
