/** A service's usage history that can grow while it is read. */
import { json, type Answer } from './fake-service.js';

export interface HistoryRecord {
  readonly id: string;
  readonly model: string;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly priceRub: number;
  readonly createdAt: string;
}

/** The time of the newest of `records`. */
export const newestMs = Date.UTC(2026, 10, 30, 12);

/** Newest first, a minute apart. */
export function records(count: number): HistoryRecord[] {
  return Array.from({ length: count }, (_unused, nth) =>
    recordAt(`g${nth}`, newestMs - nth * 60_000),
  );
}

export function recordAt(id: string, ms: number, model = 'vendor/one'): HistoryRecord {
  const createdAt = new Date(ms).toISOString();
  return { id, model, promptTokens: 1, completionTokens: 2, priceRub: 0.5, createdAt };
}

/** The reply to a query, with both ends of the dates in the range. */
export function pageOf(all: readonly HistoryRecord[], query: URLSearchParams) {
  const at = (name: string, otherwise: number) => {
    const text = query.get(name);
    return text === null ? otherwise : Date.parse(text);
  };
  const [from, to] = [at('dateFrom', 0), at('dateTo', Infinity)];
  const found = all.filter(({ createdAt }) => {
    const ms = Date.parse(createdAt);
    return ms >= from && ms <= to;
  });
  const page = Number(query.get('page') ?? 1);
  const limit = Number(query.get('limit') ?? 20);
  return {
    data: found.slice((page - 1) * limit, page * limit),
    page,
    limit,
    total: found.length,
  };
}

/** Answers with the page that is asked for. */
export function historyOf(all: readonly HistoryRecord[]): Answer {
  return (request, response) => {
    const { searchParams } = new URL(request.url, 'http://any.example');
    json(pageOf(all, searchParams))(request, response);
  };
}
