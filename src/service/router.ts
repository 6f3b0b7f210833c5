/** Finds the row of a request. */
import type { Brand } from '../contract/brand.js';
import type { Endpoint } from '../contract/endpoint.js';

type Routable = Pick<Endpoint, 'method' | 'path' | 'openEnded'>;

export type Router<Row extends Routable> = ReturnType<typeof makeRouter<Row>>;

/** Builds a router; a literal path wins over one with parameters. */
export function makeRouter<Row extends Routable>(rows: readonly Row[], brand: Brand) {
  const known = rows
    .map((row) => ({ row, ...patternOf(brand.path(row.path), row.openEnded) }))
    .sort((a, b) => a.names.length - b.names.length);
  return (method: string, pathname: string) => {
    const methods = new Set<string>();
    for (const { row, pattern, names } of known) {
      const params = paramsOf(names, pattern.exec(pathname));
      if (params) methods.add(row.method);
      if (params && row.method === method) return { found: { row, params }, methods: [] };
    }
    // What else the path takes.
    return { methods: [...methods] };
  };
}

function patternOf(path: string, openEnded = false): { pattern: RegExp; names: string[] } {
  const names: string[] = [];
  const source = path
    .replace(/[.*+?^$()|[\]\\]/g, '\\$&')
    .replace(/\{(\w+)\}/g, (placeholder, name: string, at: number, whole: string) => {
      names.push(name);
      return openEnded && at + placeholder.length === whole.length ? '([^]+)' : '([^/]+)';
    });
  return { pattern: new RegExp(`^${source}$`), names };
}

function paramsOf(
  names: readonly string[],
  found: RegExpExecArray | null,
): Record<string, string> | undefined {
  try {
    return found
      ? Object.fromEntries(names.map((name, i) => [name, decodeURIComponent(found[i + 1] ?? '')]))
      : undefined;
  } catch {
    // No text is encoded so.
    return undefined;
  }
}
