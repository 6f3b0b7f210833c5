/** A transport for many requests to one service: undici's Pool, with connections that are kept. */
import type { ProxyEnv } from './proxy.js';
import type { Transport } from './types.js';

export interface PoolTransport {
  readonly transport: Transport;
  /** Ends all connections, those with a request under way too. */
  readonly close: () => Promise<void>;
}

export function createPoolTransport(_options: {
  readonly env: ProxyEnv;
  readonly baseUrl: URL;
  /** The most connections at once. */
  readonly connections: number;
}): Promise<PoolTransport> {
  throw new Error('not written yet');
}
