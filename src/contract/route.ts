/** Finds the row of a request by its method and path. */
import type { Brand } from './brand.js';
import type { Endpoint } from './endpoint.js';

type Routable = Pick<Endpoint, 'method' | 'path' | 'openEnded'>;

interface RowMatch<Row> {
  readonly match?: { readonly row: Row; readonly params: Record<string, string> };
  /** The other methods of a path without a match. */
  readonly methods: readonly string[];
}

export type Router<Row> = (method: string, pathname: string) => RowMatch<Row>;

/**
 * Builds a router in which a literal path takes precedence over one with parameters.
 * @param isLoose as many servers are: in any case, with or without a slash at its end
 */
export function makeRouter<Row extends Routable>(
  rows: readonly Row[],
  brand: Brand,
  isLoose = false,
): Router<Row> {
  const patternFor = ({ path, openEnded }: Row) => {
    const source = patternOf(brand.path(path), openEnded);
    return isLoose ? new RegExp(`^${source}/?$`, 'i') : new RegExp(`^${source}$`);
  };
  const known = rows
    .map((row) => ({ row, pattern: patternFor(row) }))
    .sort((a, b) => a.row.path.split('{').length - b.row.path.split('{').length);
  return (method, pathname) => {
    const methods = new Set<string>();
    for (const { row, pattern } of known) {
      const params = paramsOf(pattern.exec(pathname));
      if (params) methods.add(row.method);
      if (params && row.method === method) return { match: { row, params }, methods: [] };
    }
    return { methods: [...methods] };
  };
}

function patternOf(path: string, openEnded = false): string {
  return path
    .replace(/[.*+?^$()|[\]\\]/g, '\\$&')
    .replace(/\{(\w+)\}$/, openEnded ? '(?<$1>[^]+)' : '$&')
    .replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
}

function paramsOf(match: RegExpExecArray | null): Record<string, string> | undefined {
  if (!match) return undefined;
  const groups = Object.entries(match.groups ?? {});
  try {
    return Object.fromEntries(groups.map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    // This is not valid encoding.
    return undefined;
  }
}
