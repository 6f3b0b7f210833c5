/** Web search in both of its forms (sections 2.9 and 4.6). */
import type { EndpointInput } from '../contract/endpoint.js';
import { searchRegion, searchWeb } from '../contract/search.js';
import { call } from './call.js';
import type { Client } from './client.js';

/** What to ask: of the web at large, or of the web of a region. */
export type SearchQuery =
  | { readonly form: 'web'; readonly body: EndpointInput<typeof searchWeb>['body'] }
  | { readonly form: 'region'; readonly body: EndpointInput<typeof searchRegion>['body'] };

/** Texts of others; each may be empty. */
export interface SearchResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

export interface SearchAnswer {
  readonly results: readonly SearchResult[];
  readonly costRub: number | undefined;
  /** As it came. */
  readonly reply: Readonly<Record<string, unknown>>;
  /** By name without the brand. */
  readonly ids: Readonly<Record<string, string>>;
}

/** @throws what `call` throws. */
export async function search(client: Client, question: SearchQuery): Promise<SearchAnswer> {
  const { data, ids } =
    question.form === 'web'
      ? await call(client, searchWeb, { body: question.body })
      : await call(client, searchRegion, { body: question.body });
  return {
    results: data.results.map(({ title, url, snippet }) => ({
      title: title ?? '',
      url: url ?? '',
      snippet: snippet ?? '',
    })),
    costRub: data.cost_rub ?? undefined,
    reply: data,
    ids,
  };
}
