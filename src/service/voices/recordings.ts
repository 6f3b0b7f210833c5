/** The recordings of a voice: decoded or fetched, and measured, before anything is stored. */
import { voice as limits } from '../../contract/limits.js';
import type { House } from '../call.js';
import { measure } from '../media/engines/measure/measure.js';
import { MediaRefusal } from '../media/engines/refusal.js';
import { bytesSource } from '../media/engines/sources.js';
import type { SampleTotals } from '../store/voices.js';
import { fetchRecording } from './fetch.js';
import { invalidSample, tooLargeSample, tooLargeSamples, tooManySamples } from './refusals.js';

/** A recording by its address, or as base64 text or a data: URI; one of the two is there. */
export interface Sample {
  /** What to call it in a message: `samples[2]`. */
  readonly place: string;
  readonly url?: string;
  readonly base64?: string;
}

const types = ['audio/wav', 'audio/mpeg'];
export const nothing: SampleTotals = { count: 0, milliseconds: 0, bytes: 0 };

/**
 * Measures recordings one after the other; each is let go before the next is read.
 * @param known what the voice has already
 * @param signal of the caller, who may be gone before all are fetched
 * @returns the recordings alone, without what was known
 * @throws ServiceFailure 422 with one of the codes of section 7
 */
export async function measureSamples(
  house: House,
  samples: readonly Sample[],
  known: SampleTotals,
  signal: AbortSignal,
): Promise<SampleTotals> {
  demandTotals({ ...known, count: known.count + samples.length });
  let total = nothing;
  for (const sample of samples) {
    total = sum(total, await measureOne(house, sample, signal));
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
  house: House,
  sample: Sample,
  signal: AbortSignal,
): Promise<SampleTotals> {
  const { place, url } = sample;
  const bytes =
    url === undefined ? decode(sample) : await fetchRecording(house, place, url, signal);
  const seconds = await secondsOf(place, bytes);
  // Rounded up, so that no recording is too short to count.
  return { count: 1, milliseconds: Math.ceil(seconds * 1000), bytes: bytes.byteLength };
}

function decode({ place, base64 = '' }: Sample): Uint8Array {
  const start = /^data:/i.test(base64) ? base64.indexOf(',') + 1 : 0;
  if (/^data:/i.test(base64) && !/;base64,$/i.test(base64.slice(0, start))) {
    throw invalidSample(place, 'is a data: URI, but not one of base64');
  }
  const text = start > 0 ? base64.slice(start) : base64;
  if (!/^[A-Za-z0-9+/_\s-]+={0,2}\s*$/.test(text)) throw invalidSample(place, 'is not base64');
  const bytes = Buffer.from(text, 'base64');
  if (bytes.byteLength > limits.sampleBytes) throw tooLargeSample(place);
  return bytes;
}

async function secondsOf(place: string, bytes: Uint8Array): Promise<number> {
  try {
    const measured = await measure(bytesSource(bytes));
    if (measured.kind === 'audio' && types.includes(measured.mediaType)) return measured.seconds;
    throw invalidSample(place, `must be a WAV or MP3 recording, and is ${measured.mediaType}`);
  } catch (error) {
    if (!(error instanceof MediaRefusal)) throw error;
    throw invalidSample(place, 'is no WAV or MP3 recording, or it is damaged');
  }
}
