/** What happens on the wire, for whoever wants to tell it. */
import type { HttpRequest } from './types.js';

/** Something worth a line under --verbose. */
export type Observed =
  | { kind: 'request'; request: HttpRequest; attempt: number }
  | { kind: 'answer'; status: number; elapsedMs: number }
  | { kind: 'failure'; message: string; elapsedMs: number }
  | { kind: 'wait'; delayMs: number; why: string; isAsked: boolean };

export type Observe = (event: Observed) => void;
