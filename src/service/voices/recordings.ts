/** The recordings of a voice: decoded or fetched, and measured, before anything is stored. */
import { voice as limits } from '../../contract/limits.js';
import type { House } from '../call.js';
import { ServiceFailure } from '../failure.js';
import { measure } from '../media/engines/measure/measure.js';
import { MediaRefusal } from '../media/engines/refusal.js';
import { bytesSource } from '../media/engines/sources.js';
import type { SampleTotals } from '../store/voices.js';
import { fetchRecording } from './fetch.js';

/** Exactly one of the two is there. */
export interface Sample {
  /** What to call it in a message: `samples[2]`. */
  readonly place: string;
  readonly url?: string;
  /** Base64 text or a data: URI. */
  readonly base64?: string;
}

const bytesPerMb = 1024 * 1024;
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
  demandCount(known.count + samples.length);
  let total = nothing;
  for (const sample of samples) {
    const bytes = await bytesOf(house, sample, signal);
    const seconds = await secondsOf(sample, bytes);
    total = {
      count: total.count + 1,
      milliseconds: total.milliseconds + Math.round(seconds * 1000),
      bytes: total.bytes + bytes.byteLength,
    };
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
  demandCount(count);
  if (milliseconds > limits.totalSeconds * 1000) {
    throw new ServiceFailure(
      422,
      'voice_samples_limit',
      `the recordings have more than ${limits.totalSeconds} seconds in all`,
    );
  }
  if (bytes > limits.totalBytes) {
    throw new ServiceFailure(
      422,
      'voice_samples_too_large',
      `the recordings have more than ${limits.totalBytes / bytesPerMb} MB in all`,
    );
  }
}

function demandCount(count: number): void {
  if (count <= limits.samples.max) return;
  throw new ServiceFailure(
    422,
    'voice_samples_limit',
    `a voice has at most ${limits.samples.max} recordings`,
  );
}

async function bytesOf(house: House, sample: Sample, signal: AbortSignal): Promise<Uint8Array> {
  const { place, url } = sample;
  const bytes =
    url === undefined ? decode(sample) : await fetchRecording(house, place, url, signal);
  // A fetched one is never read further than this.
  if (bytes.byteLength <= limits.sampleBytes) return bytes;
  throw tooLarge(place);
}

/** @throws ServiceFailure 422 voice_sample_invalid */
function decode({ place, base64 = '' }: Sample): Uint8Array {
  const start = /^data:/i.test(base64) ? base64.indexOf(',') + 1 : 0;
  const isData = start === 0 || /;base64$/i.test(base64.slice(0, start - 1));
  const text = start === 0 ? base64 : base64.slice(start);
  // The decoder skips what is no base64: only text that loses nothing in it is taken.
  if (!isData || !/^[A-Za-z0-9+/_-]*={0,2}\s*$/.test(text) || text.length === 0) {
    throw invalid(place, 'is not base64');
  }
  if (text.length > (limits.sampleBytes * 4) / 3 + 1024) throw tooLarge(place);
  return Buffer.from(text, 'base64');
}

async function secondsOf({ place }: Sample, bytes: Uint8Array): Promise<number> {
  try {
    const measured = await measure(bytesSource(bytes));
    if (measured.kind === 'audio' && types.includes(measured.mediaType)) return measured.seconds;
    throw invalid(place, `must be a WAV or MP3 recording, and is ${measured.mediaType}`);
  } catch (error) {
    if (!(error instanceof MediaRefusal)) throw error;
    throw invalid(place, 'is no WAV or MP3 recording, or it is damaged');
  }
}

function invalid(place: string, why: string): ServiceFailure {
  return new ServiceFailure(422, 'voice_sample_invalid', `${place} ${why}`, { param: place });
}

/** A recording that is larger than any may be. */
export function tooLarge(place: string): ServiceFailure {
  return new ServiceFailure(
    422,
    'voice_sample_too_large',
    `${place} has more than ${limits.sampleBytes / bytesPerMb} MB`,
    { param: place },
  );
}
