/** Searches the web. */
import type { EndpointInput } from '../contract/endpoint.js';
import { explain } from '../contract/explain.js';
import type { searchRegion, searchWeb } from '../contract/search.js';
import { UsageError } from '../errors.js';
import { call } from './call.js';
import type { Client } from './client.js';

/** Checks the query. @returns what sends it. @throws UsageError */
export function searchBy<Row extends typeof searchWeb | typeof searchRegion>(
  row: Row,
  input: EndpointInput<Row>,
) {
  const { body }: { body: { query: string } } = input;
  if (body.query === '') {
    const hint = 'svc search "what to look for"';
    throw new UsageError('the query is empty', { code: 'empty_query', hint });
  }
  const fault = row.body.safeParse(body).error;
  if (fault) {
    const hint = 'svc search --help';
    throw new UsageError(explain(fault, body), { code: 'invalid_input', hint });
  }
  return async (client: Client) => {
    const { data, ids } = await call(client, row, input);
    const results = data.results.map(({ title, url, snippet }) => {
      return { title: title ?? '', url: url ?? '', snippet: snippet ?? '' };
    });
    return { data, ids, results };
  };
}

export type SearchResult = Readonly<Record<'title' | 'url' | 'snippet', string>>;
