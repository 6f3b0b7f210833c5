/** The recordings of a voice: what the service would refuse is refused here, before it is sent. */
import { basename } from 'node:path';
import type { Context } from '../../cli/context.js';
import * as limits from '../../contract/limits.js';
import { UsageError } from '../../errors.js';
import { plainText } from '../../lib/plain-text.js';
import { sourceAt, type Source } from '../generate/sources.js';
import { secondsOf, type Recording } from './measure.js';

/** A recording on this machine, or one that the service fetches itself. */
export type Sample = { readonly url: string } | (Recording & { readonly name: string });

export interface Samples {
  readonly samples: readonly Sample[];
  /** Of the files; what is behind links only the service can measure. */
  readonly seconds: number;
}

const { sampleBytes, totalBytes, totalSeconds, samples: counts } = limits.voice;

/**
 * Opens and measures what the command line names.
 * @throws UsageError for what no voice can be made of; LocalFileError for what cannot be read.
 */
export async function readSamples(
  { signal, stdin }: Pick<Context, 'signal' | 'stdin'>,
  words: readonly string[],
): Promise<Samples> {
  if (words.length > counts.max) {
    throw refused(`a voice takes at most ${counts.max} recordings; ${words.length} are given`);
  }
  const samples: Sample[] = [];
  for (const word of words) {
    if (word === '-') throw refused('a recording is a file or a URL: stdin is not read');
    samples.push(sampleOf(await sourceAt(word, stdin)));
  }
  const files = samples.filter((sample) => 'path' in sample);
  const bytes = files.reduce((sum, { length }) => sum + length, 0);
  if (bytes > totalBytes) {
    throw refused(
      `the recordings are ${bytes} bytes together; a voice takes ${totalBytes} (${totalBytes / limits.bytesPerMb} MB)`,
    );
  }
  let seconds = 0;
  for (const file of files) seconds += await measured(file, signal);
  if (seconds > totalSeconds) {
    throw refused(
      `the recordings are ${inSeconds(seconds)} long together; a voice takes ${totalSeconds} s`,
    );
  }
  return { samples, seconds };
}

function sampleOf(source: Source): Sample {
  if (source.at === 'url') {
    if (/^https:/i.test(source.url)) return { url: source.url };
    throw refused(`${plainText(source.url, 100)} is no https URL`);
  }
  if (source.at === 'stdin') throw refused('a recording is a file or a URL');
  const { length, mediaType, path } = source;
  const name = plainText(basename(path), 100);
  if (mediaType !== 'audio/wav' && mediaType !== 'audio/mpeg') {
    const what = mediaType === 'application/octet-stream' ? '' : ` but ${mediaType}`;
    throw refused(`${name} is no wav or mp3 recording${what}`, 'convert it to wav or mp3');
  }
  if (length > sampleBytes) {
    throw refused(
      `${name} is ${length} bytes long; a recording may have ${sampleBytes} (${sampleBytes / limits.bytesPerMb} MB)`,
    );
  }
  return { path, length, mediaType, name };
}

async function measured(
  file: Recording & { readonly name: string },
  signal: AbortSignal,
): Promise<number> {
  const seconds = await secondsOf(file, signal);
  if (seconds !== undefined) return seconds;
  const kind = file.mediaType === 'audio/wav' ? 'wav' : 'mp3';
  throw refused(`${file.name} begins as ${kind}, and no sound can be found in it`);
}

/** `12.5 s`: to a hundredth, and never rounded down to what would be allowed. */
export function inSeconds(seconds: number): string {
  return `${Math.ceil(seconds * 100 - 1e-6) / 100} s`;
}

function refused(message: string, hint?: string): UsageError {
  return new UsageError(message, { code: 'voice_sample', hint });
}
