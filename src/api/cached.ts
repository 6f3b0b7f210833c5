/** What a call needs of the cache (cache.ts), which is loaded where it is on. */
import type { Endpoint } from '../contract/endpoint.js';
import type { HttpRequest, HttpResponse } from '../http/types.js';

/** Earlier answers, which answer the same requests of the same account. */
export interface AnswerCache {
  /** Undefined where such a request is always sent. */
  about(row: Endpoint, request: HttpRequest): Promise<CacheableCall | undefined>;
  /** Forgets what was found and kept since `flush`: it turned out not to answer the question. */
  forget(): void;
  /** Writes what has been kept. */
  flush(): Promise<void>;
}

/** A request that may be answered from the cache. */
export interface CacheableCall {
  /** The kept answer, if there is one. */
  readonly found: HttpResponse | undefined;
  /** The same answer, which is kept when its body has been read to its end. */
  readonly kept: (response: HttpResponse) => HttpResponse;
}

/** Whether a command may take earlier answers. */
export interface Caching {
  /** Whether the command has --cache: the setting is only for those. */
  readonly isOffered: boolean;
  /** How old an answer may be; 0 for none, undefined where the setting decides. */
  readonly ttlMs?: number | undefined;
  /** Set when a client is made, where it is on. */
  ofRun?: AnswerCache;
}
