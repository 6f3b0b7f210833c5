/** Makes the files of jobs, and keeps them until they expire. */
import { ExtendRequest } from '../../contract/media.js';
import type { App } from '../call.js';
import { findModel } from '../catalog.js';
import { assertHolds } from '../failure.js';
import type { OpenFile } from '../file-reply.js';
import type { StoredFile } from '../folder.js';
import { mediaJobs, mediaResults, type Job, type Result } from '../store/tables.js';
import type { MediaResult } from './engines/model.js';
import { readAt, withSources } from './sources.js';

type Use<Used> = (result: MediaResult) => Used | Promise<Used>;

/** A job's result, the same in every run, used while its sources are open. */
export async function run<Used>(app: App, job: Job, use: Use<Used>): Promise<Used> {
  if (job.origin === 'extend') return runExtension(app, job, use);
  const model = findModel(job.model, await app.mediaModels())?.model;
  const made = model?.check(job.request).job;
  assertHolds(made, 422, 'source_unsupported', `${job.model} no longer accepts such a job`);
  return withSources(app, job.accountId, made.references, async (sources) =>
    use(await made.make(sources)),
  );
}

async function runExtension<Used>(app: App, job: Job, use: Use<Used>): Promise<Used> {
  const { prompt, opts } = job.request;
  const { taskId, ...extension } = ExtendRequest.parse({ ...opts, prompt });
  const film = mediaJobs.find(app.store, { id: taskId });
  const result = mediaResults.find(app.store, { jobId: taskId, index: 0 });
  if (!film || !result) throw new Error(`the film ${taskId} is not in the store`);
  const { extendReel } = await import('./engines/film.js');
  const { handle, byteLength } = await openResult(app, film, result);
  try {
    return await use(await extendReel(readAt(handle, byteLength), extension));
  } finally {
    await handle.close();
  }
}

export function nameOf({ jobId, index, ext }: Result): string {
  return `${jobId}-${index}.${ext}`;
}

/** What is being made, by path, so that nothing is made twice at once. */
const underWay = new Map<string, Promise<StoredFile>>();

/** Opens a result; it is made on first use, and kept until it expires. */
export async function openResult(app: App, job: Job, result: Result): Promise<OpenFile> {
  const stored = await openStored(app, result);
  if (stored) return stored;
  const path = app.folder.pathOf('results', nameOf(result));
  const making = underWay.get(path) ?? make(app, job, result).finally(() => underWay.delete(path));
  underWay.set(path, making);
  const made = await openStored(app, { ...result, ...(await making) });
  if (!made) throw new Error('the new result is missing');
  return made;
}

async function make(app: App, job: Job, result: Result): Promise<StoredFile> {
  const { jobId, index } = result;
  // Frees the room of what has expired.
  const isExpired = 'AND sha256 IS NOT NULL AND expires_at_ms <= ? LIMIT 20';
  for (const old of mediaResults.all(app.store, {}, isExpired, app.clock.now())) {
    const unset = { byteLength: undefined, sha256: undefined };
    await app.folder.remove('results', nameOf(old));
    mediaResults.update(app.store, { jobId: old.jobId, index: old.index }, unset);
  }
  const written = await run(app, job, ({ files }) => {
    const file = files[index];
    if (!file) throw new Error(`the job no longer makes its result ${index}`);
    return app.folder.write('results', nameOf(result), file.bytes());
  });
  mediaResults.update(app.store, { jobId, index }, written);
  return written;
}

async function openStored({ folder }: App, result: Result): Promise<OpenFile | undefined> {
  const { byteLength, sha256 } = result;
  if (byteLength === undefined || sha256 === undefined) return undefined;
  const handle = await folder.open('results', nameOf(result));
  if (!handle || (await handle.stat()).size === byteLength)
    return handle && { handle, byteLength, sha256 };
  // It was changed from outside and is made again.
  await handle.close();
  return undefined;
}

/** Deletes up to 20 expired results. */
