/** Shows what a search finds, at the addresses it names: no rows of the contract, and without a key. */
import type { House } from './call.js';

/** The text of a path, or undefined when the path names none. */
export async function showPage(
  { corpus }: House,
  { method }: Request,
  pathname: string,
): Promise<Response | undefined> {
  if (method !== 'GET') return undefined;
  const page = await corpus.page(pathname);
  if (!page) return undefined;
  const type = page.isMarkdown ? 'text/markdown' : 'text/plain';
  return new Response(page.text, {
    headers: { 'content-type': `${type}; charset=utf-8`, 'x-content-type-options': 'nosniff' },
  });
}
