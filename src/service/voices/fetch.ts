/** Fetches recordings from addresses, when the service was started with leave to. */
import type { House } from '../call.js';
import { ServiceFailure } from '../failure.js';

/** @throws ServiceFailure 422 voice_sample_unreachable, or voice_sample_too_large */
export function fetchRecording(
  house: House,
  place: string,
  url: string,
  signal: AbortSignal,
): Promise<Uint8Array> {
  void house;
  void url;
  void signal;
  throw unreachable(
    place,
    'is an address, and this service fetches nothing: give the recording itself, as audio_base64',
  );
}

function unreachable(place: string, why: string): ServiceFailure {
  return new ServiceFailure(422, 'voice_sample_unreachable', `${place} ${why}`, { param: place });
}
