/** Finds the row of a request. */
import type { Brand } from '../contract/brand.js';

interface Routable {
  readonly method: string;
  readonly path: string;
  /** Whether its last parameter takes the rest of the path, slashes and all. */
  readonly openEnded?: boolean;
}

export type Route<Row> =
  | { readonly found: 'row'; readonly row: Row; readonly params: Readonly<Record<string, string>> }
  /** The path exists, but not for this method. */
  | { readonly found: 'path'; readonly methods: readonly string[] }
  | { readonly found: 'nothing' };

export type Router<Row> = (method: string, pathname: string) => Route<Row>;

/** Builds a router; a literal path wins over one with parameters. */
export function makeRouter<Row extends Routable>(rows: readonly Row[], brand: Brand): Router<Row> {
  const known = rows
    .map((row) => ({ row, segments: brand.path(row.path).split('/') }))
    .sort((a, b) => parameters(a.segments) - parameters(b.segments));
  return (method, pathname) => {
    const asked = pathname.split('/');
    const fitting = known.flatMap(({ row, segments }) => {
      const params = match(segments, row.openEnded ? joined(asked, segments.length) : asked);
      return params ? [{ row, params }] : [];
    });
    const route = fitting.find(({ row }) => row.method === method);
    if (route) return { found: 'row', ...route };
    const methods = [...new Set(fitting.map(({ row }) => row.method))];
    return methods.length > 0 ? { found: 'path', methods } : { found: 'nothing' };
  };
}

function parameters(segments: readonly string[]): number {
  return segments.filter((segment) => segment.startsWith('{')).length;
}

/** The segments of a path, those beyond the `count`th joined to it. */
function joined(asked: readonly string[], count: number): readonly string[] {
  return [...asked.slice(0, count - 1), asked.slice(count - 1).join('/')];
}

function match(
  segments: readonly string[],
  asked: readonly string[],
): Record<string, string> | undefined {
  if (segments.length !== asked.length) return undefined;
  const params: Record<string, string> = {};
  for (const [i, segment] of segments.entries()) {
    const value = asked[i] ?? '';
    const name = /^\{(\w+)\}$/.exec(segment)?.[1];
    if (name === undefined) {
      if (value !== segment) return undefined;
      continue;
    }
    const decoded = decode(value);
    if (decoded === undefined || decoded === '') return undefined;
    params[name] = decoded;
  }
  return params;
}

function decode(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
