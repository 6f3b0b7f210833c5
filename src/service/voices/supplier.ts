/**
 * The supplier of voices. Here it never fails by itself: as with the channels of models, what stands
 * behind a name decides what goes wrong, to see how a caller takes it.
 */
import { ServiceFailure } from '../failure.js';
import type { Voice } from '../store/voices.js';

/** A voice of such a name is given no more recordings. */
const refusing = ':refusing';

/** @throws ServiceFailure 502 when the supplier refuses recordings for this voice */
export function demandAccepted({ name }: Pick<Voice, 'name'>): void {
  if (!name.endsWith(refusing)) return;
  throw new ServiceFailure(
    502,
    'voice_samples_failed',
    `the supplier refused the recordings, as it always does for a voice whose name ends in ${refusing}; the voice is unchanged`,
  );
}
