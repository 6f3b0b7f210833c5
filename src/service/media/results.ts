/** The files that jobs made. Each is made when it is first asked for, and kept until it expires. */
import type { House } from '../call.js';
import type { Job } from '../store/media-jobs.js';
import {
  expiredResults,
  findResult,
  setMade,
  type MadeFile,
  type Result,
} from '../store/media-results.js';
import { onlyOnce } from './house.js';
import { run } from './run.js';
import type { FileHandle } from 'node:fs/promises';

/** A result that can be read; whoever opened it closes it. */
export interface OpenResult extends MadeFile {
  readonly handle: FileHandle;
}

/** What a result is called, for its reader and in the folder. */
export function resultName({ jobId, index, ext }: Result): string {
  return `${jobId}-${index}.${ext}`;
}

/** Opens a result of a job, and makes it first when that is still to be done. */
export async function openResult(house: House, job: Job, result: Result): Promise<OpenResult> {
  const kept = await openKept(house, result);
  if (kept) return kept;
  await onlyOnce(house.media, `make ${resultName(result)}`, () => make(house, job, result));
  const made = await openKept(house, result);
  if (!made) throw new Error('the result that was just made is not there');
  return made;
}

async function openKept(house: House, result: Result): Promise<OpenResult | undefined> {
  const made = findResult(house.store, result.jobId, result.index)?.made;
  const handle = made && (await house.media.folder.open('results', resultName(result)));
  if (!made || !handle) return undefined;
  // A file that someone else has changed is made anew.
  if ((await handle.stat()).size === made.byteLength) return { handle, ...made };
  await handle.close();
  return undefined;
}

async function make(house: House, job: Job, result: Result): Promise<void> {
  await dropExpired(house);
  const written = await run(house, job, ({ files }) => {
    const file = files[result.index];
    if (!file) throw new Error(`the job no longer makes its result ${result.index}`);
    return house.media.folder.write('results', resultName(result), file.bytes());
  });
  setMade(house.store, result, written);
}

/** Results past their time give their room back. */
async function dropExpired(house: House): Promise<void> {
  const mostAtOnce = 20;
  for (const result of expiredResults(house.store, house.clock.now(), mostAtOnce)) {
    await house.media.folder.remove('results', resultName(result));
    setMade(house.store, result, undefined);
  }
}
