/** Where `svc api` sends to: a path below the base URL. */
import { UsageError } from '../../errors.js';

/**
 * The path below the base URL, with its query; it begins with a slash.
 * @param given a path, with or without its first slash, or a URL below the base URL.
 * @throws UsageError for a URL of another place, where the key must not go.
 */
export function pathFrom(given: string, baseUrl: URL): string {
  const path = /^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? pathBelow(given, baseUrl) : given;
  const bare = path.replace(/#.*$/s, '');
  return bare.startsWith('/') ? bare : `/${bare}`;
}

function pathBelow(given: string, baseUrl: URL): string {
  const prefix = baseUrl.pathname.replace(/\/+$/, '');
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const path = url?.pathname;
  if (url?.origin === baseUrl.origin && path !== undefined) {
    if (path === prefix || path.startsWith(`${prefix}/`)) {
      return path.slice(prefix.length) + url.search;
    }
  }
  throw new UsageError(`the URL is not below the base URL ${baseUrl.origin}${prefix}`, {
    code: 'foreign_url',
    hint: 'the key would go elsewhere: give the path alone, or another --base-url',
  });
}

/** A path with more of a query. */
export function withQuery(path: string, query: string): string {
  return query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`;
}
