import { search as ask, type SearchQuery, type SearchResult } from '../../api/search.js';
import type { Context } from '../../cli/context.js';
import type { Handler, InputOf } from '../../cli/declaration.js';
import { explain } from '../../contract/explain.js';
import { RegionalSearchRequest, SearchRequest } from '../../contract/search.js';
import { UsageError } from '../../errors.js';
import { plainText } from '../../lib/plain-text.js';
import { wrapText } from '../../lib/wrap.js';
import { linkTarget } from '../../terminal/screen.js';
import { titles, type Output } from '../../terminal/types.js';
import { costFor, writeCost, mayCost } from '../../jobs/cost.js';
import type { search } from './index.js';

/** Searches the web and shows the results. */
export const run: Handler<typeof search> = async (context, input) => {
  const { out, flags } = context;
  const question = await questionFrom(context, input);
  const client = await context.client();
  const { results, reply, ids, costRub } = await mayCost(context, client, (paying) =>
    ask(paying, question),
  );
  if (!flags.json) {
    if (results.length === 0) out.note('nothing was found');
    await (input.options.urls ? showUrls(out, results) : showResults(out, results));
  }
  const cost = await costFor(context, client, { ids, priceRub: costRub });
  if (flags.json) await out.json({ ...reply, cost, ids });
  writeCost(context, cost);
};

type SearchInput = InputOf<typeof search>;

/** @throws UsageError before anything is sent, in one sentence. */
async function questionFrom(
  context: Context,
  { args, options }: SearchInput,
): Promise<SearchQuery> {
  const query = await queryFrom(context, args.query);
  const { region, count, mode, country, language } = options;
  if (region === undefined) return webQuestion({ query, count, mode, country, language });
  assertNotEmpty(query);
  const body = { query, num: count, region };
  const fault = RegionalSearchRequest.safeParse(body).error;
  if (fault) throw invalid(explain(fault, body));
  return { form: 'region', body };
}

/** What may be said of a search of the web at large. */
type WebSearch = { readonly query: string } & Partial<
  Pick<SearchInput['options'], 'count' | 'mode' | 'country' | 'language'>
>;

/** @throws UsageError when the service would not take it. */
export function webQuestion({ query, count, ...others }: WebSearch): SearchQuery {
  assertNotEmpty(query);
  const body = { query, max_results: count, ...others };
  const fault = SearchRequest.safeParse(body).error;
  if (fault) throw invalid(explain(fault, body));
  return { form: 'web', body };
}

function assertNotEmpty(query: string): void {
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

/** Wider lines are hard to read. */
const mostColumns = 100;

async function showResults(out: Output, results: readonly SearchResult[]): Promise<void> {
  if (!out.isTerminal) {
    const rows = results.map(({ title, url, snippet }, index) => [
      String(index + 1),
      title,
      url,
      snippet,
    ]);
    await out.table(titles('#', 'TITLE', 'URL', 'TEXT'), rows);
    return;
  }
  const numberWidth = String(results.length).length;
  for (const [index, result] of results.entries()) {
    if (index > 0) await out.line('');
    await showEntry(out, `${String(index + 1).padStart(numberWidth)}. `, result);
  }
}

async function showEntry(out: Output, number: string, result: SearchResult): Promise<void> {
  const title = plainText(result.title, 200);
  // What is behind a link stands there too, as it is: a name in other letters may look like a known one.
  const target = linkTarget(result.url);
  const address = target ?? plainText(result.url, 500);
  const indent = ' '.repeat(number.length);
  await out.spans([
    { text: number },
    { text: title === '' ? address : title, look: 'bold', link: target },
  ]);
  if (title !== '' && address !== '') {
    await out.spans([{ text: indent }, { text: address, look: 'dim', link: target }]);
  }
  const columns = Math.max(20, Math.min(out.columns, mostColumns) - indent.length);
  for (const line of wrapText(plainText(result.snippet, 1000), columns)) {
    await out.line(indent + line);
  }
}

/** Addresses of the web alone: whatever reads the lines may open them. */
async function showUrls(out: Output, results: readonly SearchResult[]): Promise<void> {
  let left = 0;
  for (const { url } of results) {
    const target = linkTarget(url);
    if (target === undefined) left += 1;
    else await out.line(/^[\x21-\x7e]+$/.test(url) ? url : target);
  }
  if (left > 0) {
    out.note(`${String(left)} of the results ${left === 1 ? 'has' : 'have'} no address of the web`);
  }
}
