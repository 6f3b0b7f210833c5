import type { Brand } from '../contract/brand.js';
import type { Endpoint } from '../contract/endpoint.js';
import type { HttpRequest, HttpResponse, Observe, Timeouts, Transport } from '../http/types.js';
import { TimeLimit, type Clock } from '../lib/clock.js';

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
  /** Total time of a call, until the last byte of its answer; in place of `timeLimit`. */
  readonly deadlineMs?: number | undefined;
  /** Of all calls together (--timeout). */
  readonly timeLimit?: TimeLimit | undefined;
  /** The limit of all waits that the service asks for, without a deadline. */
  readonly retryWaitMs?: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly userAgent: string;
  /** The fields beyond the specification that this service has refused. */
  readonly refused?: () => Promise<{ has(field: string): boolean; add(field: string): void }>;
  readonly observe?: Observe;
  /** Present only where a ceiling or a budget is set. */
  readonly spending?: Spending;
}

/** Limits what paid requests may cost. */
export interface Spending {
  /** Call before a paid request is sent. @throws PriceTooHigh */
  readonly reserve: (
    paid: NonNullable<Endpoint['paid']>,
    request: HttpRequest,
    retry: Endpoint['retry'],
  ) => Promise<Reservation>;
  /** The most tokens of output that may be paid for. @throws PriceTooHigh for too few */
  readonly fit: (body: object) => Promise<number | undefined>;
  /** Records the price of a usage record or a job. */
  readonly settle: (id: string, priceRub: number) => void;
}

/** Exactly one of them is called, when the request has ended. */
export interface Reservation {
  /** @param answer its head; its `data` where the body was read too. */
  readonly answered: (answer: Pick<HttpResponse, 'status' | 'headers'>) => void;
  /** @param isFree whether certainly nothing was charged. */
  readonly failed: (isFree: boolean, error: unknown) => void;
}

/** The same client with one deadline for several calls. */
export function withOneDeadline(client: Client): Client {
  const { clock, deadlineMs } = client;
  if (deadlineMs === undefined) return client;
  return { ...client, deadlineMs: undefined, timeLimit: new TimeLimit(deadlineMs, clock) };
}

/** How long a call that starts now may take; none is left at 0. */
export function leftMs({ deadlineMs, timeLimit }: Client): number | undefined {
  return deadlineMs ?? timeLimit?.leftMs();
}
