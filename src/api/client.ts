/** What a call depends on: address, account, transport and time limits. */
import type { Brand } from '../contract/brand.js';
import type { Observe, Timeouts, Transport } from '../http/types.js';
import type { Clock } from '../lib/clock.js';

export type { Observed } from '../http/types.js';

export interface Client {
  /** All paths of the contract are appended to it; no trailing slash, no query. */
  readonly baseUrl: URL;
  readonly brand: Brand;
  readonly key: string | undefined;
  /** The Cookie header of a web cabinet session, where a key is not enough. */
  readonly session?: string;
  readonly transport: Transport;
  /** Only what the settings change: http/deadline.ts holds the rest, longer for slow answers. */
  readonly timeouts: Partial<Timeouts>;
  /** Total time of a call, until the last byte of its answer is read. */
  readonly deadlineMs: number | undefined;
  /** The limit of all waits that the service asks of a call without a deadline. */
  readonly retryWaitMs?: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly userAgent: string;
  /** Of the fields beyond the specification: which this service has refused before. */
  readonly refused?: () => Promise<{ has(field: string): boolean; add(field: string): void }>;
  readonly observe?: Observe;
}

/** The same client, with one deadline for several calls together, starting now. */
export function withOneDeadline(client: Client): Client {
  const { clock, deadlineMs } = client;
  if (deadlineMs === undefined) return client;
  const endsAtMs = clock.now() + deadlineMs;
  return {
    ...client,
    get deadlineMs() {
      return Math.max(1, endsAtMs - clock.now());
    },
  };
}
