import type { Brand } from '../contract/brand.js';
import type { Endpoint } from '../contract/endpoint.js';
import type { HttpRequest, HttpResponse, Observe, Timeouts, Transport } from '../http/types.js';
import { TimeLimit, type Clock } from '../lib/clock.js';
import type { AnswerCache } from './cached.js';

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
  /** What is left for a call, until the last byte of its answer: usually of one limit of all. */
  readonly timeLimit?: Pick<TimeLimit, 'leftMs'> | undefined;
  /** The limit of all waits that the service asks for, without a deadline. */
  readonly retryWaitMs?: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly userAgent: string;
  /** The fields beyond the specification that this service has refused. */
  readonly refused?: () => Promise<{ has(field: string): boolean; add(field: string): void }>;
  readonly observe?: Observe;
  /** Its answers are recorded or played: nothing that is remembered may stand in for one. */
  readonly tape?: 'recorded' | 'played' | undefined;
  /** Earlier answers, where --cache or the setting `cache` is on. */
  readonly cache?: AnswerCache | undefined;
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
  /** What is refused for its price, or not agreed to, is so before it is recorded. @throws PriceTooHigh */
  readonly agree: (model: string, rub: number) => Promise<void>;
  /** Says whether paid requests follow whose price is not known yet. */
  readonly expectMore: (isMore: boolean) => void;
  /** The most tokens of output that may be paid for. @throws PriceTooHigh for too few */
  readonly fit: (body: object) => Promise<number | undefined>;
  /** What is left of the ceiling and of the budget, in RUB. */
  readonly spendableRub: () => Promise<number>;
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

/** The same client, with this time for all its calls together, whatever --timeout leaves. */
export function withLimit(client: Client, limitMs: number): Client {
  return { ...client, timeLimit: new TimeLimit(limitMs, client.clock) };
}

/** The same client, with this time for all its calls together, or less if --timeout leaves less. */
export function hurried(client: Client, limitMs: number): Client {
  return withLimit(client, Math.min(limitMs, leftMs(client) ?? limitMs));
}

/** How long a call that starts now may take, where there is a limit; none is left at 0. */
export function leftMs({ timeLimit }: Client): number | undefined {
  return timeLimit?.leftMs();
}
