/** Fetches the results of a finished job to where they belong. */
import { resolve } from 'node:path';
import { fetchResult } from '../api/media/fetch-result.js';
import { Incomplete } from '../errors.js';
import { PartFile } from '../files/part-file.js';
import { isStillWhole, type SavedBytes } from '../files/saved-file.js';
import { fileKindOf } from '../lib/file-kind.js';
import { inParallel } from '../lib/parallel.js';
import type { SavedFile } from '../state/ledger-fold.js';
import { warnOfExtension } from '../commands/odd-extension.js';
import { isAt, targetFor, type Destination } from './destination.js';
import { openProgress } from './progress.js';
import { note, type JobWorld } from './world.js';

export interface Collecting {
  /** Its key in the ledger; undefined for a job that is not in it. */
  readonly intent: string | undefined;
  readonly jobId: string;
  readonly model: string;
}

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
  world: JobWorld,
  job: Collecting,
  results: readonly Result[],
  destination: Destination,
): Promise<Collected[]> {
  if (destination.kind === 'stdout') return toStdout(world, job, results);
  const { jobId, model, intent } = job;
  const copies = world.ledger.copies({ intent, jobId, account: world.account });
  const progress = await openProgress(world.context, results.length);
  const failures: unknown[] = [];
  const collected = await inParallel(results, atOnce, async (result, index) => {
    try {
      const there = await copyAt(copies, index, destination);
      if (there && !destination.isForced) return { ...there, mediaType: undefined, wasThere: true };
      const target = targetFor(destination, { model, jobId, index, count: results.length });
      const to = {
        ...(there ? { kind: 'file' as const, path: there.path, replace: true } : target),
        beforeNaming: (file: SavedBytes) => writeDown(world, job, { ...file, index }),
      };
      if (result instanceof URL) {
        const onProgress = progress.onProgress(index);
        const file = await fetchResult(world.client, { jobId, link: result, to, onProgress });
        return kept(world, { ...file, index });
      }
      const { clock } = world.context;
      const part = await PartFile.open(to, { sourceId: `${jobId} ${String(index)}`, clock });
      const file = await part.fill({}, (take) => take(result));
      return kept(world, { ...file, bytes: result.length, index });
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

function writeDown(world: JobWorld, { intent, jobId }: Collecting, file: SavedFile): void {
  if (intent !== undefined) note(world, { type: 'saved', intent, ...file });
  else note(world, { type: 'fetched', account: world.account, jobId, ...file });
}

function kept({ context }: JobWorld, file: Omit<Collected, 'wasThere'>): Collected {
  const path = file.path === undefined ? undefined : resolve(file.path);
  const { index, bytes, mediaType } = file;
  if (path !== undefined) warnOfExtension(context.out, { path, mediaType });
  return { index, path, bytes, mediaType, wasThere: false };
}

async function toStdout(
  { client, context }: JobWorld,
  { jobId }: Collecting,
  results: readonly Result[],
): Promise<Collected[]> {
  const [first] = results;
  if (!first) return [];
  const write = (piece: Buffer) => context.out.bytes(piece);
  let bytes = first instanceof URL ? 0 : first.length;
  let mediaType: string | undefined;
  if (first instanceof URL) {
    const to = { kind: 'stream', write } as const;
    ({ bytes, mediaType } = await fetchResult(client, { jobId, link: first, to }));
  } else {
    await write(first);
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
