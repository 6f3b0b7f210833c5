import { costJson } from '../../api/cost.js';
import { searchBy, type SearchResult } from '../../api/search.js';
import type { Handler } from '../../context.js';
import { searchRegion, searchWeb } from '../../contract/search.js';
import { costFor, writeCost, mayCost } from '../../jobs/cost.js';
import { joinText, plainText } from '../../lib/plain-text.js';
import { wrapText } from '../../lib/wrap.js';
import { linkTarget, withReadableAddresses } from '../../terminal/screen.js';
import { titles, type Output } from '../../terminal/types.js';
import type { search } from './index.js';

export const run: Handler<typeof search> = async (context, { args, options }) => {
  const { out, flags, stdin } = context;
  const { piped, prompt } = await stdin.forPrompt(args.query);
  const query = joinText(piped, prompt).trim();
  const { region, limit, mode, country, language } = options;
  const ask =
    region === undefined
      ? searchBy(searchWeb, { body: { query, max_results: limit, mode, country, language } })
      : searchBy(searchRegion, { body: { query, num: limit, region } });
  const client = await context.client();
  const { data, results, ids } = await mayCost(context, client, ask);
  if (!flags.json) {
    if (results.length === 0) out.note('nothing was found');
    await (options.urls ? showUrls(out, results) : showResults(out, results));
  }
  const cost = await costFor(context, client, { ids, priceRub: data.cost_rub ?? undefined });
  if (flags.json) await out.json({ ...data, ...costJson(cost), ids });
  await writeCost(context, cost);
};

const maxColumns = 100;

async function showResults(out: Output, results: readonly SearchResult[]): Promise<void> {
  if (!out.isTerminal) {
    const rows = results.map((one, index) => [`${index + 1}`, one.title, one.url, one.snippet]);
    await out.table(titles('NUMBER', 'TITLE', 'URL', 'TEXT'), rows);
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
  // The host is shown unchanged: in other letters it could look like a known one.
  const target = linkTarget(result.url);
  const address = withReadableAddresses(target ?? plainText(result.url, 500));
  const indent = ' '.repeat(number.length);
  const name = title === '' ? address : title;
  await out.spans([{ text: number }, { text: name, look: 'bold', link: target }]);
  if (title !== '' && address !== '') {
    await out.spans([{ text: indent }, { text: address, look: 'dim', link: target }]);
  }
  const columns = Math.max(20, Math.min(out.columns, maxColumns) - indent.length);
  for (const line of wrapText(plainText(result.snippet, 1000), columns)) {
    await out.line(indent + line);
  }
}

/** Only web addresses: the program that reads the lines may open them. */
async function showUrls(out: Output, results: readonly SearchResult[]): Promise<void> {
  let left = 0;
  for (const { url } of results) {
    const target = linkTarget(url);
    if (target === undefined) left += 1;
    else await out.line(/^[\x21-\x7e]+$/.test(url) ? url : target);
  }
  if (left > 0) {
    out.note(`${String(left)} of the results ${left === 1 ? 'has' : 'have'} no web address`);
  }
}
