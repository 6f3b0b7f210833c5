/** The recordings of a voice: decoded or fetched, and measured, before anything is stored. */
import { voice as limits } from '../../contract/limits.js';
import type { House } from '../call.js';
import { measure } from '../media/engines/measure.js';
import { bytesSource, MediaRefusal } from '../media/engines/types.js';
import type { SampleTotals } from '../store/voices.js';
import { fetchRecording } from './fetch.js';
import type { InlineRecordings, MeasuredRecording } from './inline.js';
import { invalidSample, tooLargeSamples, tooManySamples } from './refusals.js';

/** A recording by its address, or as base64 text, a data: URI or its token; one is there. */
export interface Sample {
  /** What to call it in a message: `samples[2]`. */
  readonly place: string;
  readonly url?: string;
  readonly base64?: string;
}

/** Where recordings are measured. */
export interface Desk {
  readonly house: House;
  /** Those that came inside the request. */
  readonly inline: InlineRecordings;
  /** Of the caller, who may be gone before all are fetched. */
  readonly signal: AbortSignal;
}

const types = ['audio/wav', 'audio/mpeg'];
export const nothing: SampleTotals = { count: 0, milliseconds: 0, bytes: 0 };

/**
 * Measures recordings one after the other; each is let go before the next is read.
 * @param known what the voice has already
 * @returns the recordings alone, without what was known
 * @throws ServiceFailure 422 with one of the codes of section 7
 */
export async function measureSamples(
  desk: Desk,
  samples: readonly Sample[],
  known: SampleTotals,
): Promise<SampleTotals> {
  demandTotals({ ...known, count: known.count + samples.length });
  let total = nothing;
  for (const sample of samples) {
    total = sum(total, await measureOne(desk, sample));
    demandTotals(sum(known, total));
  }
  return total;
}

/** What two sets of recordings are together. */
export function sum(one: SampleTotals, other: SampleTotals): SampleTotals {
  return {
    count: one.count + other.count,
    milliseconds: one.milliseconds + other.milliseconds,
    bytes: one.bytes + other.bytes,
  };
}

/** @throws ServiceFailure 422 when recordings are more, longer or larger than a voice takes */
export function demandTotals({ count, milliseconds, bytes }: SampleTotals): void {
  const { samples, totalSeconds, totalBytes } = limits;
  if (count > samples.max) {
    throw tooManySamples(`a voice has at most ${samples.max} recordings, and these make ${count}`);
  }
  if (milliseconds > totalSeconds * 1000) {
    throw tooManySamples(`the recordings have more than ${totalSeconds} seconds in all`);
  }
  if (bytes > totalBytes) throw tooLargeSamples();
}

async function measureOne(
  { house, inline, signal }: Desk,
  { place, url, base64 = '' }: Sample,
): Promise<SampleTotals> {
  try {
    const { byteLength, measured } =
      url === undefined
        ? await inline.measure(place, base64)
        : await measureFetched(await fetchRecording(house, place, url, signal));
    if (measured.kind !== 'audio' || !types.includes(measured.mediaType)) {
      throw invalidSample(place, `must be a WAV or MP3 recording, and is ${measured.mediaType}`);
    }
    // Rounded up, so that no recording is too short to count.
    return { count: 1, milliseconds: Math.ceil(measured.seconds * 1000), bytes: byteLength };
  } catch (error) {
    if (!(error instanceof MediaRefusal)) throw error;
    throw invalidSample(place, 'is no WAV or MP3 recording, or it is damaged');
  }
}

async function measureFetched(bytes: Uint8Array): Promise<MeasuredRecording> {
  return { byteLength: bytes.byteLength, measured: await measure(bytesSource(bytes)) };
}
