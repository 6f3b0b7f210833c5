import { call } from '../../api/call.js';
import type { Client } from '../../api/client.js';
import type { Handler } from '../../cli/declaration.js';
import type { Endpoint, EndpointInput } from '../../contract/endpoint.js';
import { explain } from '../../contract/explain.js';
import { searchRegion, searchWeb } from '../../contract/search.js';
import { UsageError } from '../../errors.js';
import { costFor, writeCost, mayCost } from '../../jobs/cost.js';
import { plainText } from '../../lib/plain-text.js';
import { wrapText } from '../../lib/wrap.js';
import { linkTarget } from '../../terminal/screen.js';
import { titles, type Output } from '../../terminal/types.js';
import type { search } from './index.js';

export const run: Handler<typeof search> = async (context, { args, options }) => {
  const { out, flags, stdin } = context;
  // Only without words: a search in a loop must not eat the lines that the loop reads.
  const isPiped = args.query.length === 0 && !stdin.isTerminal;
  const query = (isPiped ? await stdin.text() : args.query.join(' ')).trim();
  const { region, count, mode, country, language } = options;
  const ask =
    region === undefined
      ? webSearch({ query, max_results: count, mode, country, language })
      : regionalSearch({ query, num: count, region });
  const client = await context.client();
  const { data, results, ids } = await mayCost(context, client, ask);
  if (!flags.json) {
    if (results.length === 0) out.note('nothing was found');
    await (options.urls ? showUrls(out, results) : showResults(out, results));
  }
  const cost = await costFor(context, client, { ids, priceRub: data.cost_rub ?? undefined });
  if (flags.json) await out.json({ ...data, cost, ids });
  writeCost(context, cost);
};

/** A search of the web at large. @throws UsageError when the service would not take it. */
export function webSearch(body: EndpointInput<typeof searchWeb>['body']) {
  assertTaken(searchWeb, body);
  return async (client: Client) => withResults(await call(client, searchWeb, { body }));
}

function regionalSearch(body: EndpointInput<typeof searchRegion>['body']) {
  assertTaken(searchRegion, body);
  return async (client: Client) => withResults(await call(client, searchRegion, { body }));
}

function assertTaken({ body: schema }: Pick<Endpoint, 'body'>, body: { query: string }): void {
  if (body.query === '') {
    throw new UsageError('the query is empty', {
      code: 'empty_query',
      hint: 'svc search "what to look for"',
    });
  }
  const fault = schema?.safeParse(body).error;
  if (!fault) return;
  const hint = 'svc search --help';
  throw new UsageError(explain(fault, body), { code: 'invalid_input', hint });
}

export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

type Reply = Awaited<ReturnType<typeof call<typeof searchWeb>>>;

function withResults({ data, ids }: Pick<Reply, 'data' | 'ids'>) {
  const results = data.results.map(({ title, url, snippet }): SearchResult => {
    return { title: title ?? '', url: url ?? '', snippet: snippet ?? '' };
  });
  return { data, ids, results };
}

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
