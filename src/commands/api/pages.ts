/** Finds what to ask for next after a page of a list, in the forms that the service has. */
import { isRecord, listOf, numberOf, recordOf, textOf, type JsonRecord } from '../../lib/json.js';

/**
 * The path of the page after `page`; undefined when that was the last one, or no list in pages.
 * @param path of `page`, with its query.
 * @param page its JSON.
 */
export function nextPath(path: string, page: unknown): string | undefined {
  if (!isRecord(page)) return undefined;
  return nextByCursor(path, page) ?? nextByNumber(path, page) ?? nextOfCounted(path, page);
}

/** Section 2.15: `hasMore`, `nextCursor`. */
function nextByCursor(path: string, page: JsonRecord): string | undefined {
  const cursor = textOf(page['nextCursor']);
  if (!cursor || page['hasMore'] === false) return undefined;
  return withParameter(path, 'after', cursor);
}

/** Section 2.10: `page`, `limit`, `total`. */
function nextByNumber(path: string, page: JsonRecord): string | undefined {
  const [number, limit, total] = ['page', 'limit', 'total'].map((name) => numberOf(page[name]));
  if (number === undefined || limit === undefined || total === undefined) return undefined;
  if (listOf(page['data']).length === 0 || number * limit >= total) return undefined;
  return withParameter(path, 'page', String(number + 1));
}

/** Section 2.11: `pagination` with `page` and `totalPages`. */
function nextOfCounted(path: string, page: JsonRecord): string | undefined {
  const pagination = recordOf(page['pagination']);
  const number = numberOf(pagination['page']);
  const last = numberOf(pagination['totalPages']);
  if (number === undefined || last === undefined || number >= last) return undefined;
  return withParameter(path, 'page', String(number + 1));
}

function withParameter(path: string, name: string, value: string): string {
  const [pathname = '', query = ''] = path.split(/\?(.*)/s);
  const parameters = new URLSearchParams(query);
  parameters.set(name, value);
  return `${pathname}?${parameters.toString()}`;
}
