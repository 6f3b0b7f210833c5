/** Turns the command line into a search; refuses what makes no sense before anything is sent. */
import type { SearchQuestion } from '../../api/search.js';
import type { Context } from '../../cli/context.js';
import type { InputOf } from '../../cli/declaration.js';
import { explain } from '../../contract/explain.js';
import { RegionalSearchRequest, SearchRequest } from '../../contract/search.js';
import { UsageError } from '../../errors.js';
import type { search } from './index.js';

type SearchInput = InputOf<typeof search>;

/** @throws UsageError before anything is sent, in one sentence. */
export async function questionFrom(
  context: Context,
  { args, options }: SearchInput,
): Promise<SearchQuestion> {
  const query = await queryFrom(context, args.query);
  const { region, count, mode, country, language } = options;
  if (region === undefined) return webQuestion({ query, count, mode, country, language });
  refuseEmpty(query);
  const body = { query, num: count, region };
  const fault = RegionalSearchRequest.safeParse(body).error;
  if (fault) throw invalid(explain(fault, body));
  return { form: 'region', body };
}

/** What may be said of a search of the web at large. */
export interface WebSearch {
  readonly query: string;
  readonly count?: number;
  readonly mode?: SearchInput['options']['mode'];
  readonly country?: string;
  readonly language?: string;
}

/** @throws UsageError when the service would not take it. */
export function webQuestion({ query, count, ...others }: WebSearch): SearchQuestion {
  refuseEmpty(query);
  const body = { query, max_results: count, ...others };
  const fault = SearchRequest.safeParse(body).error;
  if (fault) throw invalid(explain(fault, body));
  return { form: 'web', body };
}

function refuseEmpty(query: string): void {
  if (query !== '') return;
  throw new UsageError('the query is empty', {
    code: 'empty_query',
    hint: 'svc search "what to look for"',
  });
}

/** Only without words: a search in a loop must not eat the lines that the loop reads. */
async function queryFrom({ stdin }: Context, words: readonly string[]): Promise<string> {
  if (words.length > 0 || stdin.isTerminal) return words.join(' ').trim();
  return (await stdin.text()).trim();
}

function invalid(message: string): UsageError {
  return new UsageError(message, { code: 'invalid_input', hint: 'svc search --help' });
}
