/** Writes down what time has done to an account, before a call of its is answered. */
import type { House } from './call.js';
import { settle as settleJobs } from './media/finish.js';
import { settleVoices } from './voices/fees.js';

/** Ends jobs first: what they give back may pay for voices. */
export async function settle(house: House, accountId: string): Promise<void> {
  await settleJobs(house, accountId);
  settleVoices(house, accountId);
}
