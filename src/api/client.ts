/** What a call needs to know of the world: where, as whom, over what, and how patiently. */
import type { Brand } from '../contract/brand.js';
import type { HttpRequest, Timeouts, Transport } from '../http/types.js';
import type { Clock } from '../lib/clock.js';

/** Something worth a line under --verbose. */
export type Observed =
  | { kind: 'request'; request: HttpRequest; attempt: number }
  | { kind: 'answer'; status: number; headers: Readonly<Record<string, string>>; elapsedMs: number }
  | { kind: 'failure'; message: string; elapsedMs: number }
  | { kind: 'wait'; delayMs: number; why: string };

export interface Client {
  /** All paths of the contract are appended to it; no trailing slash, no query. */
  readonly baseUrl: URL;
  readonly brand: Brand;
  readonly key: string | undefined;
  readonly transport: Transport;
  readonly timeouts: Timeouts;
  /** Total time of a call with all its attempts and waits; streams once begun are exempt. */
  readonly deadlineMs: number | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly userAgent: string;
  readonly observe?: (event: Observed) => void;
}
