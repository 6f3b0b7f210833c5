/** Fetches the results of a finished job to where they belong, and shows how far that has come. */
import { resolve } from 'node:path';
import { fetchResult, type Progress } from '../api/media/follow.js';
import type { Context } from '../cli/context.js';
import { Incomplete } from '../errors.js';
import { PartFile } from '../files/part-file.js';
import { isStillWhole, type SavedBytes } from '../files/saved-file.js';
import { formatBytes } from '../lib/amounts.js';
import { fileKindOf, isSameExtension, kindByContentType } from '../lib/file-kind.js';
import { splitExtension } from '../lib/file-name.js';
import type { Output } from '../terminal/types.js';
import { inParallel } from '../lib/parallel.js';
import type { Target } from '../files/target.js';
import type { SavedFile } from '../state/ledger-fold.js';
import { isAt, targetFor, type Destination } from './destination.js';
import { note, type Job, type JobEnv } from './job.js';

/** Where a result is to be fetched, or the result itself. */
export type Result = URL | Buffer;

export interface Collected {
  readonly index: number;
  /** Absolute; undefined when it went to stdout. */
  readonly path: string | undefined;
  readonly bytes: number;
  readonly mediaType: string | undefined;
  /** It was there already, whole. */
  readonly wasThere: boolean;
}

const atOnce = 4;

/**
 * Fetches what is not there yet, several at once.
 * @throws what `fetchResult` throws, once what had begun has ended; Incomplete when stdout could
 * take only the first of several.
 */
export async function collect(
  world: JobEnv,
  job: Job,
  results: readonly Result[],
  destination: Destination,
): Promise<Collected[]> {
  if (destination.kind === 'stdout') return toStdout(world, job, results);
  const { jobId, intent, model = 'job' } = job;
  const copies = copiesOf(world, job);
  const progress = await openProgress(world.context, results.length);
  const failures: unknown[] = [];
  const collected = await inParallel(results, atOnce, async (result, index) => {
    try {
      const there = await copyAt(copies, index, destination);
      if (there && !destination.isForced) return { ...there, mediaType: undefined, wasThere: true };
      const target = targetFor(destination, { model, jobId, index, count: results.length });
      const to = {
        ...(there ? { kind: 'file' as const, path: there.path, replace: true } : target),
        beforeNaming: (saved: SavedBytes) => {
          const file = { ...saved, index };
          if (intent !== undefined) note(world, { type: 'saved', intent, ...file });
          else note(world, { type: 'fetched', account: world.account, jobId, ...file });
        },
      };
      const onProgress = progress.onProgress(index);
      const { path, bytes, mediaType } =
        result instanceof URL
          ? await fetchResult(world.client, { jobId, link: result, to, onProgress })
          : await writeResult(world, result, to, `${jobId} ${String(index)}`);
      if (path === undefined) return undefined;
      warnOfExtension(world.context.out, { path: resolve(path), mediaType });
      return { index, path: resolve(path), bytes, mediaType, wasThere: false };
    } catch (error) {
      failures.push(error);
      return undefined;
    }
  }).finally(() => {
    progress.stop();
  });
  if (failures.length > 0) throw failures[0];
  return collected.filter((file) => file !== undefined);
}

/** The files that results of a job were put into. */
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

async function writeResult(world: JobEnv, result: Buffer, to: Target, sourceId: string) {
  const part = await PartFile.open(to, { sourceId, clock: world.context.clock });
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
  let bytes: number;
  let mediaType: string | undefined;
  if (first instanceof URL) {
    const to = { kind: 'stream', write } as const;
    ({ bytes, mediaType } = await fetchResult(client, { jobId, link: first, to }));
  } else {
    await write(first);
    bytes = first.length;
    mediaType = fileKindOf(first)?.mediaType;
  }
  if (results.length > 1) {
    throw new Incomplete(
      `${jobId} has ${String(results.length)} results; only the first went to stdout`,
      {
        code: 'several_results',
        hint: `fetch them all: \`svc jobs download ${jobId} -o DIR/\``,
      },
    );
  }
  return [{ index: 0, path: undefined, bytes, mediaType, wasThere: false }];
}

/** How far several downloads have come, as one line. @param count how many there will be. */
export async function openProgress({ out, flags }: Context, count: number) {
  if (count === 0 || flags.json)
    return { onProgress: () => () => undefined, stop: () => undefined };
  const spinner = await out.spinner(progressLine([], count));
  const all: (Progress | undefined)[] = [];
  return {
    onProgress: (index: number) => (progress: Progress) => {
      all[index] = progress;
      spinner.update(progressLine(all, count));
    },
    stop: () => spinner.stop(),
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

/** A name that was asked for stays, also when it promises something else. */
export function warnOfExtension(
  out: Output,
  { path, mediaType }: { readonly path: string; readonly mediaType: string | undefined },
): void {
  const extension = splitExtension(path)[1].slice(1);
  const kind = kindByContentType(mediaType);
  // `bin` promises nothing.
  if (['', 'bin'].includes(extension) || !kind || isSameExtension(extension, kind.extension))
    return;
  out.warn(`${path} holds ${kind.mediaType}, which usually ends in .${kind.extension}`);
}
