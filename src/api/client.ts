import type { Brand } from '../contract/brand.js';
import type { Observe, Timeouts, Transport } from '../http/types.js';
import type { Clock } from '../lib/clock.js';

export type { Observed } from '../http/types.js';

export interface Client {
  readonly baseUrl: URL;
  readonly brand: Brand;
  readonly key: string | undefined;
  /** The Cookie header of a web cabinet session, where a key is not enough. */
  readonly session?: string;
  readonly transport: Transport;
  /** Only what the settings change; http/deadline.ts holds the defaults. */
  readonly timeouts: Partial<Timeouts>;
  /** Total time of a call, until the last byte of its answer. */
  readonly deadlineMs: number | undefined;
  /** The limit of all waits that the service asks for, without a deadline. */
  readonly retryWaitMs?: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly userAgent: string;
  /** The fields beyond the specification that this service has refused. */
  readonly refused?: () => Promise<{ has(field: string): boolean; add(field: string): void }>;
  readonly observe?: Observe;
}

/** The same client with one deadline, starting now, for several calls. */
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
