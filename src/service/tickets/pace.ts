/** How many tickets and messages an account may send (section 8). */
import type { House } from '../call.js';
import { ServiceFailure } from '../failure.js';
import { admitWithin, type Pace } from '../store/admissions.js';

const hourMs = 60 * 60 * 1000;
const nouns = { tickets: 'new tickets', 'ticket-messages': 'messages in tickets' } as const;

/**
 * Counts one action, inside a transaction of the caller's.
 * @throws ServiceFailure 429 with Retry-After when the last hour holds as many as it may
 */
export function demandPace(
  { store, clock }: House,
  accountId: string,
  action: Pace['action'] & keyof typeof nouns,
  mostPerHour: number,
): void {
  const pace = { action, most: mostPerHour, windowMs: hourMs };
  const waitMs = admitWithin(store, clock, accountId, pace);
  if (waitMs === undefined) return;
  const waitS = Math.ceil(waitMs / 1000);
  throw new ServiceFailure(
    429,
    'rate_limit_exceeded',
    `an account may send ${mostPerHour} ${nouns[action]} an hour: wait ${waitS} seconds`,
    { headers: { 'retry-after': String(waitS) } },
  );
}
