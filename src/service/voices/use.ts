/** Speaking with a cloned voice: it must be the account's own, and paid. */
import { voice as limits } from '../../contract/limits.js';
import type { House } from '../call.js';
import { ServiceFailure } from '../failure.js';
import { findVoice, markUsed } from '../store/voices.js';

/**
 * Demands that a voice can be used; the built-in ones always can.
 * @param refusal how a voice that is not there is answered, and the field that names it
 * @throws ServiceFailure with that status, or 402 when the voice is unpaid
 */
export function demandVoice(
  { store }: House,
  accountId: string,
  id: string,
  refusal: { readonly status: 400 | 422; readonly param: string },
): void {
  if (!limits.id.test(id)) return;
  const { status, param } = refusal;
  const voice = findVoice(store, accountId, id);
  if (!voice) {
    const message = `the account has no voice ${id}; GET /api/media/voices lists those it has`;
    throw new ServiceFailure(status, 'voice_not_found', message, { param });
  }
  if (voice.deletionAtMs === undefined) return;
  const deletion = new Date(voice.deletionAtMs).toISOString();
  throw new ServiceFailure(
    402,
    'voice_unpaid',
    `the monthly fee of the voice ${id} is not paid: it is silent, and deleted at ${deletion}`,
    { param },
  );
}

/** Writes down that a voice has spoken; of a built-in one nothing is kept. */
export function noteUse({ store, clock }: House, id: string): void {
  if (limits.id.test(id)) markUsed(store, id, clock.now());
}
