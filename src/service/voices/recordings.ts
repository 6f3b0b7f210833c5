/** The recordings of a voice: decoded or fetched, and measured, before anything is stored. */
import { bytesPerMb, voice as limits } from '../../contract/limits.js';
import { bufferSource } from '../../lib/audio/source.js';
import { atMost, gather } from '../body.js';
import type { Call, App } from '../call.js';
import { ServiceFailure } from '../failure.js';
import { measure } from '../media/engines/measure.js';
import { MediaRefusal } from '../media/engines/types.js';
import { get, Unreachable } from '../outbound.js';
import type { Voice } from '../store/tables.js';

/** A recording by its address, or as base64 text or a data: URI; one is there. */
export interface Sample {
  /** What to call it in a message: `samples[2]`. */
  readonly place: string;
  readonly url?: string;
  readonly base64?: string;
}

/** What is known of the recordings of a voice. */
export type SampleTotals = Pick<Voice, 'sampleCount' | 'sampleMs' | 'sampleBytes'>;

const types = ['audio/wav', 'audio/mpeg'];
export const nothing: SampleTotals = { sampleCount: 0, sampleMs: 0, sampleBytes: 0 };

/**
 * Measures recordings one after the other; each is let go before the next is read.
 * @param known what the voice has already
 * @returns the recordings alone, without what was known
 */
export async function measureSamples(
  call: Call,
  samples: readonly Sample[],
  known: SampleTotals,
): Promise<SampleTotals> {
  assertTotals({ ...known, sampleCount: known.sampleCount + samples.length });
  let total = nothing;
  for (const sample of samples) {
    total = sum(total, await measureOne(call, sample));
    assertTotals(sum(known, total));
  }
  return total;
}

/** What two sets of recordings are together. */
export function sum(one: SampleTotals, other: SampleTotals): SampleTotals {
  return {
    sampleCount: one.sampleCount + other.sampleCount,
    sampleMs: one.sampleMs + other.sampleMs,
    sampleBytes: one.sampleBytes + other.sampleBytes,
  };
}

/** @throws ServiceFailure 422 when recordings are more, longer or larger than a voice takes */
export function assertTotals({ sampleCount, sampleMs, sampleBytes }: SampleTotals): void {
  const { samples, totalSeconds, totalBytes } = limits;
  if (sampleCount > samples.max) {
    const message = `a voice has at most ${samples.max} recordings, and these make ${sampleCount}`;
    throw new ServiceFailure(422, 'voice_samples_limit', message);
  }
  if (sampleMs > totalSeconds * 1000) {
    const message = `the recordings have more than ${totalSeconds} seconds in all`;
    throw new ServiceFailure(422, 'voice_samples_limit', message);
  }
  if (sampleBytes > totalBytes) {
    const message = `the recordings have more than ${totalBytes / bytesPerMb} MB in all`;
    throw new ServiceFailure(422, 'voice_samples_too_large', message);
  }
}

async function measureOne(
  { app, request }: Call,
  { place, url, base64 = '' }: Sample,
): Promise<SampleTotals> {
  const bytes =
    url === undefined ? decoded(place, base64) : await fetched(app, place, url, request.signal);
  if (bytes.byteLength > limits.sampleBytes) throw tooLarge(place);
  try {
    const measured = await measure(bufferSource(bytes));
    if (measured.kind !== 'audio' || !types.includes(measured.mediaType)) {
      throw invalid(place, `must be a WAV or MP3 recording, and is ${measured.mediaType}`);
    }
    // Rounded up, so that no recording is too short to count.
    const sampleMs = Math.ceil(measured.seconds * 1000);
    return { sampleCount: 1, sampleMs, sampleBytes: bytes.byteLength };
  } catch (error) {
    if (!(error instanceof MediaRefusal)) throw error;
    throw invalid(place, 'is no WAV or MP3 recording, or it is damaged');
  }
}

/** @param why follows the name of the recording: `is not base64` */
function invalid(place: string, why: string): ServiceFailure {
  return new ServiceFailure(422, 'voice_sample_invalid', `${place} ${why}`, { param: place });
}

function tooLarge(place: string): ServiceFailure {
  const message = `${place} has more than ${limits.sampleBytes / bytesPerMb} MB`;
  return new ServiceFailure(422, 'voice_sample_too_large', message, { param: place });
}

/** The bytes of base64 in lines or whole, in either alphabet, padded or not, or of a data: URI. */
function decoded(place: string, text: string): Buffer {
  const head = text.slice(0, 200);
  const dataHead = /^[^,]*;base64,/i.exec(head)?.[0] ?? '';
  const isData = /^data:/i.test(head);
  if (isData && dataHead === '') throw invalid(place, 'is a data: URI, but not one of base64');
  const letters = (isData ? text.slice(dataHead.length) : text).replaceAll(/\s/g, '');
  if (letters === '') throw invalid(place, 'is empty');
  const bare = letters.replace(/={1,2}$/, '');
  const isPadded = bare.length < letters.length;
  const isWhole = isPadded ? letters.length % 4 === 0 : letters.length % 4 !== 1;
  if (!/^[\w+/-]+$/.test(bare) || !isWhole) throw invalid(place, 'is not base64');
  return Buffer.from(bare, 'base64');
}

const timeoutMs = 20_000;

/** The bytes behind an address, when the service was started with leave to fetch them. */
async function fetched(
  { media }: App,
  place: string,
  address: string,
  signal: AbortSignal,
): Promise<Buffer> {
  const unreachable = (why: string) =>
    new ServiceFailure(422, 'voice_sample_unreachable', `${place} ${why}`, { param: place });
  if (!media.allowFetch) {
    throw unreachable(
      'is an address, and this service fetches nothing: give the recording itself as audio_base64, or start it with svc serve --allow-fetch',
    );
  }
  const late = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await get(address, AbortSignal.any([signal, late]));
    return await gather(atMost(answer.iterator(), limits.sampleBytes, () => tooLarge(place)));
  } catch (error) {
    if (error instanceof ServiceFailure || !(error instanceof Error)) throw error;
    // Whatever else goes wrong on the way is the way's fault.
    const why = error instanceof Unreachable ? error.message : `broke off: ${error.message}`;
    throw unreachable(late.aborted ? `gave nothing in ${timeoutMs / 1000} s` : why);
  }
}
