/** The recordings of a voice: what the service would refuse is refused here, before it is sent. */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { type VoicePayload } from '../api/voices.js';
import type { Context, GlobalFlags } from '../context.js';
import * as limits from '../contract/limits.js';
import { UsageError } from '../errors.js';
import { codeOf, fileTrouble } from '../files/file-trouble.js';
import { withFiles } from '../files/named-file.js';
import { jsonBody } from '../http/request-body.js';
import type { Base64Source } from '../http/types.js';
import { wavSeconds } from '../lib/audio/wav.js';
import { plainText } from '../lib/plain-text.js';
import { sourceAt } from './sources.js';

export interface Recording {
  readonly path: string;
  readonly length: number;
  readonly mediaType: 'audio/wav' | 'audio/mpeg';
}

/** A local recording, or one that the service fetches. */
export type Sample = { readonly url: string } | (Recording & { readonly name: string });

const { sampleBytes, totalBytes, totalSeconds, samples: counts } = limits.voice;
const inMb = (bytes: number) => `${bytes} (${bytes / limits.bytesPerMb} MB)`;

/** @returns seconds of the files; the service alone can measure links. @throws UsageError */
export async function readSamples(
  { signal, stdin }: Pick<Context, 'signal' | 'stdin'>,
  words: readonly string[],
): Promise<{ readonly samples: readonly Sample[]; readonly seconds: number }> {
  if (words.length > counts.max) {
    throw refused(`a voice may have at most ${counts.max} recordings, not ${words.length}`);
  }
  const samples: Sample[] = [];
  for (const word of words) {
    if (word === '-') throw refused('a recording must be a file or a URL, not stdin');
    samples.push(await sampleAt(word, stdin));
  }
  const files = samples.filter((sample) => 'path' in sample);
  const bytes = files.reduce((sum, { length }) => sum + length, 0);
  if (bytes > totalBytes) {
    throw refused(
      `the recordings have ${bytes} bytes in total; a voice may have ${inMb(totalBytes)}`,
    );
  }
  let seconds = 0;
  for (const file of files) {
    const fileSeconds = await secondsOf(file, signal);
    if (fileSeconds === undefined) {
      const kind = file.mediaType === 'audio/wav' ? 'wav' : 'mp3';
      throw refused(`${file.name} starts as ${kind} but contains no sound`);
    }
    seconds += fileSeconds;
  }
  if (seconds <= totalSeconds) return { samples, seconds };
  throw refused(
    `the recordings have ${inSeconds(seconds)} in total; a voice may have ${totalSeconds} s`,
  );
}

async function sampleAt(word: string, stdin: Context['stdin']): Promise<Sample> {
  const source = await sourceAt(word, stdin);
  if (source.at === 'url') {
    if (/^https:/i.test(source.url)) return { url: source.url };
    throw refused(`${plainText(source.url, 100)} is not an https URL`);
  }
  const { length, mediaType } = source;
  const name = plainText(basename(word), 100);
  if (mediaType !== 'audio/wav' && mediaType !== 'audio/mpeg') {
    const what = mediaType === 'application/octet-stream' ? '' : ` but ${mediaType}`;
    throw refused(`${name} is not a wav or mp3 recording${what}`, 'convert it to wav or mp3');
  }
  if (length > sampleBytes) {
    throw refused(`${name} has ${length} bytes; a recording may have ${inMb(sampleBytes)}`);
  }
  return { path: word, length, mediaType, name };
}

/** `12.5 s`: to a hundredth, and never rounded down to what would be allowed. */
export function inSeconds(seconds: number): string {
  return `${Math.ceil(seconds * 100 - 1e-6) / 100} s`;
}

function refused(message: string, hint?: string): UsageError {
  return new UsageError(message, { code: 'voice_sample', hint });
}

/**
 * MP3 frames are counted: the header, or the size, may be wrong.
 * @returns undefined for bytes that are damaged, or not sound. @throws LocalFileError; the signal's reason.
 */
export async function secondsOf(
  { mediaType, path }: Recording,
  signal: AbortSignal,
): Promise<number | undefined> {
  signal.throwIfAborted();
  if (mediaType === 'audio/wav') {
    return withFiles([path], async ([file]) => file && wavSeconds(file));
  }
  const { parseStream } = await import('music-metadata');
  // Small enough to handle key presses in between.
  const file = createReadStream(path, { highWaterMark: 64 * 1024, signal });
  // If it knew the size, the library would assume the first bit rate for the whole file.
  const stream = Readable.from(file, { objectMode: false });
  const about = { mimeType: 'audio/mpeg' };
  try {
    const { format } = await parseStream(stream, about, { duration: true, skipCovers: true });
    const { container, duration = 0 } = format;
    const isSound = container === 'MPEG' && duration > 0 && Number.isFinite(duration);
    return isSound ? duration : undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (codeOf(error) !== undefined) throw fileTrouble(error, `cannot read ${path}`);
    return undefined;
  } finally {
    stream.destroy();
  }
}

type Inlined = { audio_url: string } | { audio_base64: string };

/** Links are sent unchanged, files as base64; --dry-run shows a placeholder for them. */
export function withRecordings<Body>(
  samples: readonly Sample[],
  { dryRun, curl }: GlobalFlags,
  bodyOf: (values: Inlined[]) => Body,
): VoicePayload<Body> {
  const sources = new Map<string, Base64Source>();
  const values = samples.map((sample): Inlined => {
    if ('url' in sample) return { audio_url: sample.url };
    if (dryRun && !curl) return { audio_base64: `(${sample.name} in base64)` };
    const placeholder = `svc-recording-${randomUUID()}`;
    sources.set(placeholder, sample);
    return { audio_base64: placeholder };
  });
  const body = bodyOf(values);
  const json = jsonBody(JSON.stringify(body), sources);
  return { body, payload: { contentType: 'application/json', body: json } };
}
