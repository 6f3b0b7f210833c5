/** Fetches the results of a finished job to where they belong, and shows how far that has come. */
import { resolve } from 'node:path';
import { fetchResult, type Progress } from '../api/media/follow.js';
import type { Context } from '../cli/context.js';
import { Incomplete } from '../errors.js';
import { PartFile } from '../files/part-file.js';
import { isStillWhole, type SavedBytes } from '../files/saved-file.js';
import type { Target } from '../files/target.js';
import { formatBytes } from '../lib/amounts.js';
import { fileKindOf, isSameExtension, kindByContentType } from '../lib/file-kind.js';
import { splitExtension } from '../lib/file-name.js';
import { inParallel } from '../lib/parallel.js';
import type { SavedFile } from '../state/ledger-fold.js';
import type { Output } from '../terminal/types.js';
import { isAt, targetFor, type Destination } from './destination.js';
import { note, startLine, type Job, type JobEnv } from './job.js';

export type Result = URL | Buffer;

export interface Collected {
  readonly index: number;
  /** Absolute; undefined when it went to stdout. */
  readonly path: string | undefined;
  readonly bytes: number;
  readonly mediaType: string | undefined;
  readonly wasThere: boolean;
}

const atOnce = 4;

/** Fetches what is not there yet. @throws the first failure, once all have ended */
export async function collect(
  env: JobEnv,
  job: Job,
  results: readonly Result[],
  destination: Destination,
): Promise<Collected[]> {
  if (destination.kind === 'stdout') return toStdout(env, job, results);
  const { jobId, intent, model = 'job' } = job;
  const copies = copiesOf(env, job);
  const progress = await openProgress(env.context, results.length);
  const failures: unknown[] = [];
  const fetchOne = async (result: Result, index: number): Promise<Collected> => {
    const there = await copyAt(copies, index, destination);
    if (there && !destination.isForced) return { ...there, mediaType: undefined, wasThere: true };
    const target: Target = there
      ? { kind: 'file', path: there.path, replace: true }
      : targetFor(destination, { model, jobId, index, count: results.length });
    const beforeNaming = (saved: SavedBytes) => {
      const file = { ...saved, index };
      if (intent !== undefined) note(env, { type: 'saved', intent, ...file });
      else note(env, { type: 'fetched', account: env.account, jobId, ...file });
    };
    const to = { ...target, beforeNaming };
    const onProgress = progress.onProgress(index);
    const { path, bytes, mediaType } =
      result instanceof URL
        ? await fetchResult(env.client, { jobId, link: result, to, onProgress })
        : await writeResult(env, result, to, `${jobId} ${String(index)}`);
    if (path !== undefined) warnOfExtension(env.context.out, { path: resolve(path), mediaType });
    return { index, path: path && resolve(path), bytes, mediaType, wasThere: false };
  };
  const collected = await inParallel(results, atOnce, async (result, index) =>
    fetchOne(result, index).catch((error: unknown) => {
      failures.push(error);
      return undefined;
    }),
  ).finally(progress.stop);
  if (failures.length > 0) throw failures[0];
  return collected.filter((file) => file !== undefined);
}

export function copiesOf({ ledger, account }: JobEnv, { intent, jobId }: Job): SavedFile[] {
  return ledger.copies({ intent, jobId, account });
}

/** A file that was fetched before, and is still there as it was. */
async function copyAt(
  copies: readonly SavedFile[],
  index: number,
  destination: Destination,
): Promise<SavedFile | undefined> {
  for (const file of copies) {
    if (file.index !== index || !isAt(destination, file)) continue;
    if (await isStillWhole(file)) return file;
  }
  return undefined;
}

async function writeResult(env: JobEnv, result: Buffer, to: Target, sourceId: string) {
  const part = await PartFile.open(to, { sourceId, clock: env.context.clock });
  const { path, mediaType } = await part.fill({}, (take) => take(result));
  return { path, mediaType, bytes: result.length };
}

async function toStdout(
  { client, context }: JobEnv,
  { jobId }: Job,
  results: readonly Result[],
): Promise<Collected[]> {
  const [first] = results;
  if (!first) return [];
  const write = (piece: Buffer) => context.out.bytes(piece);
  let sent: Pick<Collected, 'bytes' | 'mediaType'>;
  if (first instanceof URL) {
    sent = await fetchResult(client, { jobId, link: first, to: { kind: 'stream', write } });
  } else {
    await write(first);
    sent = { bytes: first.length, mediaType: fileKindOf(first)?.mediaType };
  }
  if (results.length > 1) {
    const hint = `fetch them all: \`svc jobs download ${jobId} -o DIR/\``;
    throw new Incomplete(
      `${jobId} has ${String(results.length)} results; only the first went to stdout`,
      { code: 'several_results', hint },
    );
  }
  const { bytes, mediaType } = sent;
  return [{ index: 0, path: undefined, bytes, mediaType, wasThere: false }];
}

/** How far several downloads have come, as one line. @param count how many there will be. */
export async function openProgress(context: Context, count: number) {
  const all: (Progress | undefined)[] = [];
  const words = () => progressLine(all, count);
  const line = count === 0 ? undefined : await startLine(context, words);
  return {
    onProgress: (index: number) => (progress: Progress) => {
      all[index] = progress;
      line?.update(words);
    },
    stop: () => line?.stop(),
  };
}

const barWidth = 20;

/** `downloading 2 files ██████░░░░ 5.4 of 12.0 MB`; without a bar while a length is not known. */
export function progressLine(
  all: readonly (Progress | undefined)[],
  count: number,
  verb = 'downloading',
): string {
  const known = all.filter((progress) => progress !== undefined);
  const bytes = known.reduce((sum, progress) => sum + progress.bytes, 0);
  const total = known.reduce((sum, progress) => sum + (progress.totalBytes ?? NaN), 0);
  const what = count === 1 ? verb : `${verb} ${String(count)} files`;
  if (known.length < count || !(total > 0)) {
    return bytes === 0 ? what : `${what} ${formatBytes(bytes)}`;
  }
  const filled = Math.floor((barWidth * bytes) / total);
  const bar = '█'.repeat(filled) + '░'.repeat(barWidth - filled);
  return `${what} ${bar} ${formatBytes(bytes)} of ${formatBytes(total)}`;
}

/** A name that was asked for stays, also when it promises something else; `bin` promises nothing. */
export function warnOfExtension(
  out: Output,
  { path, mediaType }: { readonly path: string; readonly mediaType: string | undefined },
): void {
  const extension = splitExtension(path)[1].slice(1);
  const kind = kindByContentType(mediaType);
  const isFine =
    ['', 'bin'].includes(extension) || !kind || isSameExtension(extension, kind.extension);
  if (isFine) return;
  out.warn(`${path} holds ${kind.mediaType}, which usually ends in .${kind.extension}`);
}
