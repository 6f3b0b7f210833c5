/** Shows the pages of the manual that a search finds: no row of the contract, and without a key. */
import { manualPage, manualPath } from './search/manual-pages.js';

/** The page of a path as Markdown, or undefined when the path names none. */
export function showManualPage({ method }: Request, pathname: string): Response | undefined {
  if (method !== 'GET' || !pathname.startsWith(manualPath)) return undefined;
  const page = manualPage(pathname.slice(manualPath.length));
  if (page === undefined) return undefined;
  return new Response(page, { headers: { 'content-type': 'text/markdown; charset=utf-8' } });
}
