/** Fetches the results of a finished job to where they belong, and shows how far that has come. */
import { resolve } from 'node:path';
import { fetchResult, type Downloading, type Progress } from '../api/media/follow.js';
import type { Context } from '../cli/context.js';
import { Incomplete } from '../errors.js';
import { PartFile } from '../files/part-file.js';
import { isStillWhole, type SavedBytes } from '../files/saved-file.js';
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
  const { jobId, intent } = job;
  const { out } = env.context;
  const isPiped = destination.kind === 'stdout';
  const copies = copiesOf(env, job);
  const progress = await openProgress(env.context, isPiped ? 0 : results.length);
  const beforeNaming = (file: SavedBytes & Pick<SavedFile, 'index'>) => {
    if (intent !== undefined) note(env, { type: 'saved', intent, ...file });
    else note(env, { type: 'fetched', account: env.account, jobId, ...file });
  };
  const fetchOne = async (result: Result, index: number): Promise<Collected> => {
    let to: Downloading['to'] = { kind: 'stream', write: (piece) => out.bytes(piece) };
    if (!isPiped) {
      const there = await copyAt(copies, index, destination);
      if (there && !destination.isForced) return { ...there, mediaType: undefined, wasThere: true };
      const target = there
        ? ({ kind: 'file', path: there.path, replace: true } as const)
        : targetFor(destination, job, index, results.length);
      to = { ...target, beforeNaming: (saved) => beforeNaming({ ...saved, index }) };
    }
    const onProgress = progress.onProgress(index);
    const got =
      result instanceof URL
        ? await fetchResult(env.client, jobId, { url: result, to, onProgress })
        : await writeResult(result, to, `${jobId} ${String(index)}`);
    const { bytes, mediaType } = got;
    const path = got.path === undefined ? undefined : resolve(got.path);
    if (path !== undefined) warnOfExtension(out, { path, mediaType });
    return { index, path, bytes, mediaType, wasThere: false };
  };
  const failures: unknown[] = [];
  const wanted = isPiped ? results.slice(0, 1) : results;
  const collected = await inParallel(wanted, atOnce, async (result, index) =>
    fetchOne(result, index).catch((error: unknown) => {
      failures.push(error);
      return undefined;
    }),
  ).finally(progress.stop);
  if (failures.length > 0) throw failures[0];
  if (wanted.length < results.length) {
    const message = `${jobId} has ${results.length} results; only the first went to stdout`;
    const hint = `fetch them all: \`svc jobs download ${jobId} -o DIR/\``;
    throw new Incomplete(message, { code: 'several_results', hint });
  }
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

async function writeResult(result: Buffer, to: Downloading['to'], sourceId: string) {
  const bytes = result.length;
  if (to.kind === 'stream') {
    await to.write(result);
    return { path: undefined, bytes, mediaType: fileKindOf(result)?.mediaType };
  }
  const part = await PartFile.open(to, sourceId);
  return { ...(await part.fill({}, (take) => take(result))), bytes };
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
