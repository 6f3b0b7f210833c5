/** Shows search results: to people as entries they can click, to programs a line each. */
import type { SearchResult } from '../../api/search.js';
import { plainText } from '../../lib/plain-text.js';
import { wrapText } from '../../lib/wrap.js';
import { linkTarget } from '../../terminal/screen.js';
import type { Output } from '../../terminal/types.js';

/** Wider lines are hard to read. */
const mostColumns = 100;

export async function showResults(out: Output, results: readonly SearchResult[]): Promise<void> {
  if (!out.isTerminal) {
    const rows = results.map(({ title, url, snippet }, index) => [
      String(index + 1),
      title,
      url,
      snippet,
    ]);
    await out.table(
      [{ title: '#' }, { title: 'TITLE' }, { title: 'URL' }, { title: 'TEXT' }],
      rows,
    );
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
export async function showUrls(out: Output, results: readonly SearchResult[]): Promise<void> {
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
