/** How recordings and requests of voices are refused, with the codes of section 7. */
import { bytesPerMb, voice as limits } from '../../contract/limits.js';
import { ServiceFailure } from '../failure.js';

/** @param why follows the name of the recording: `is not base64` */
export function invalidSample(place: string, why: string): ServiceFailure {
  return new ServiceFailure(422, 'voice_sample_invalid', `${place} ${why}`, { param: place });
}

/** A recording that is larger than any may be. */
export function tooLargeSample(place: string): ServiceFailure {
  const message = `${place} has more than ${limits.sampleBytes / bytesPerMb} MB`;
  return new ServiceFailure(422, 'voice_sample_too_large', message, { param: place });
}

/** @param why follows the name of the recording: `answered 404` */
export function unreachableSample(place: string, why: string): ServiceFailure {
  return new ServiceFailure(422, 'voice_sample_unreachable', `${place} ${why}`, { param: place });
}

/** More or longer recordings than a voice takes. */
export function tooManySamples(message: string): ServiceFailure {
  return new ServiceFailure(422, 'voice_samples_limit', message);
}

/** Recordings that are too large together. */
export function tooLargeSamples(): ServiceFailure {
  const message = `the recordings have more than ${limits.totalBytes / bytesPerMb} MB in all`;
  return new ServiceFailure(422, 'voice_samples_too_large', message);
}

/** A request that is not what section 2.14 shows. */
export function unfitRequest(message: string, param?: string): ServiceFailure {
  return new ServiceFailure(422, 'voice_request_invalid', message, { param });
}
