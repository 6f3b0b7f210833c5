/** The recordings of a voice, downloaded or decoded, and measured, before anything is stored. */
import { bytesPerMb, voice as limits } from '../../contract/limits.js';
import { bufferSource } from '../../lib/audio/source.js';
import { limitBytes, readAll } from '../body.js';
import type { Call } from '../call.js';
import { assertHolds, ServiceFailure } from '../failure.js';
import { measure } from '../media/engines/measure.js';
import { base64Bytes } from '../media/sources.js';
import { get, Unreachable } from '../outbound.js';
import type { Voice } from '../store/tables.js';

/** A recording by URL, as base64 or as a data: URI; one is present. */
export interface Sample {
  /** Its name in messages: `samples[2]`. */
  readonly place: string;
  readonly url?: string;
  readonly base64?: string;
}

type SampleTotals = Pick<Voice, 'sampleCount' | 'sampleMs' | 'sampleBytes'>;

const timeoutMs = 20_000;
export const noSamples: SampleTotals = { sampleCount: 0, sampleMs: 0, sampleBytes: 0 };

/** Measures recordings, in addition to those of an existing voice; returns only the new ones. */
export async function measureSamples(
  call: Call,
  samples: readonly Sample[],
  known: SampleTotals,
): Promise<SampleTotals> {
  assertTotals({ ...known, sampleCount: known.sampleCount + samples.length });
  let total = noSamples;
  for (const sample of samples) {
    total = sum(total, await measureOne(call, sample));
    assertTotals(sum(known, total));
  }
  return total;
}

export function sum(one: SampleTotals, other: SampleTotals): SampleTotals {
  return {
    sampleCount: one.sampleCount + other.sampleCount,
    sampleMs: one.sampleMs + other.sampleMs,
    sampleBytes: one.sampleBytes + other.sampleBytes,
  };
}

/** @throws ServiceFailure 422 for more, longer or larger recordings than a voice allows */
export function assertTotals({ sampleCount, sampleMs, sampleBytes }: SampleTotals): void {
  const { samples, totalSeconds, totalBytes } = limits;
  const tooMany = `a voice has at most ${samples.max} recordings; this would make ${sampleCount}`;
  const inAll = (most: string) => `the recordings have more than ${most} in all`;
  assertHolds(sampleCount <= samples.max, 422, 'voice_samples_limit', tooMany);
  const tooLong = inAll(`${totalSeconds} seconds`);
  assertHolds(sampleMs <= totalSeconds * 1000, 422, 'voice_samples_limit', tooLong);
  const tooLarge = inAll(`${totalBytes / bytesPerMb} MB`);
  assertHolds(sampleBytes <= totalBytes, 422, 'voice_samples_too_large', tooLarge);
}

async function measureOne({ app, request }: Call, sample: Sample): Promise<SampleTotals> {
  const { place, url, base64 = '' } = sample;
  const refusal = (code: string, why: string) =>
    new ServiceFailure(422, `voice_sample_${code}`, `${place} ${why}`, { param: place });
  const tooLarge = () =>
    refusal('too_large', `has more than ${limits.sampleBytes / bytesPerMb} MB`);
  const fetched = async (address: string) => {
    if (!app.settings.allowFetch) {
      const why =
        'is a URL, but this service does not download: send the recording as audio_base64, or start svc serve with --allow-fetch';
      throw refusal('unreachable', why);
    }
    const late = AbortSignal.timeout(timeoutMs);
    try {
      const answer = await get(address, AbortSignal.any([request.signal, late]));
      return await readAll(limitBytes(answer.iterator(), limits.sampleBytes, tooLarge));
    } catch (error) {
      if (error instanceof ServiceFailure || !(error instanceof Error)) throw error;
      const why = error instanceof Unreachable ? error.message : `was cut off: ${error.message}`;
      throw refusal('unreachable', late.aborted ? `sent no data for ${timeoutMs / 1000} s` : why);
    }
  };
  const bytes = url === undefined ? base64Bytes(base64) : await fetched(url);
  if (!bytes) throw refusal('invalid', 'is not base64');
  if (bytes.byteLength > limits.sampleBytes) throw tooLarge();
  const measured = await measure(bufferSource(bytes));
  if (!measured) throw refusal('invalid', 'is not a WAV or MP3 recording, or is damaged');
  const { ext, mediaType, seconds = 0 } = measured;
  const other = `must be a WAV or MP3 recording, not ${mediaType}`;
  if (ext !== 'wav' && ext !== 'mp3') throw refusal('invalid', other);
  // Rounded up, so that every recording counts.
  return { sampleCount: 1, sampleMs: Math.ceil(seconds * 1000), sampleBytes: bytes.byteLength };
}
