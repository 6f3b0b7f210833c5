/** Where the results of a job go, as -o says, and how they get there. */
import { basename, dirname, resolve } from 'node:path';
import { fetchResult, resultLinks } from '../api/media/follow.js';
import type { Downloading, JobStatus, Progress } from '../api/media/follow.js';
import type { Context } from '../context.js';
import { Incomplete, LocalFileError, UsageError } from '../errors.js';
import { PartFile } from '../files/part-file.js';
import { isStillWhole, type SavedBytes } from '../files/saved-file.js';
import { checkRoom, checkTarget, targetFrom, type Place } from '../files/target.js';
import { formatBytes } from '../lib/amounts.js';
import { fileKindOf, isSameExtension, kindByContentType } from '../lib/file-kind.js';
import { numbered, splitExtension } from '../lib/file-name.js';
import { inParallel } from '../lib/parallel.js';
import { Ledger, type Book } from '../state/ledger.js';
import type { SavedFile } from '../state/ledger-job.js';
import type { Output } from '../terminal/types.js';
import { note, startLine, type Collected, type Job, type JobEnv } from './job.js';

/**
 * Stdout; or this name, for the first result (more get numbers); or names of our own in a folder,
 * by a pattern. Checked before anything is spent.
 */
export type Destination = (
  Extract<Downloading['to'], { kind: 'stream' }> | (Place & { readonly pattern?: string })
) & {
  readonly taken?: TakenName;
  /** What the ledger keeps of it. */
  readonly output?: string;
  /** --force: existing results are downloaded again. */
  readonly isForced?: boolean;
};

/** A name with an existing file, which may be the result of an earlier run of the same request. */
export interface TakenName {
  readonly path: string;
  readonly refusal: LocalFileError;
}

/** @param earlier results, which may have the name already. @throws UsageError, LocalFileError */
export async function destinationFrom(
  { out }: Pick<Context, 'out'>,
  { output, force: replace = false, wait }: OutputOptions,
  earlier?: () => readonly SavedFile[],
): Promise<Destination> {
  assertOutput(output, out);
  if (output === '-') return { kind: 'stream', write: (piece) => out.bytes(piece) };
  const pattern = patternIn(output);
  const target = pattern ?? (await targetFrom(output, { replace }));
  const taken = await checkForRun(target, earlier);
  await checkRoom(target);
  const folder = !pattern && target.kind === 'folder' ? `${resolve(target.folder)}/` : undefined;
  const absolute = output === undefined ? '.' : (folder ?? resolve(output));
  return { ...target, taken, isForced: replace, output: wait === false ? undefined : absolute };
}

interface OutputOptions {
  readonly output?: string | undefined;
  readonly force?: boolean | undefined;
  /** --no-wait: the results are downloaded only on request. */
  readonly wait?: boolean;
}

/** Where -o says, or else where the command that made the job wanted its results. */
export function destinationOf(
  { context, ledger, account }: JobEnv,
  job: Job,
  { output = job.ledger?.output, force }: OutputOptions = {},
): Promise<Destination> {
  const isFirst = ({ index }: SavedFile) => index === 0;
  const earlier = () => ledger.copies({ ...job, account }).filter(isFirst);
  return destinationFrom(context, { output, force }, earlier);
}

/** Where -o sends what these jobs made; a name is for the result of one. @throws UsageError */
export async function sharedDestination(
  env: JobEnv,
  jobs: readonly Job[] | undefined,
  options: OutputOptions,
): Promise<Destination> {
  const [only, ...others] = jobs ?? [];
  if (only && others.length === 0) return destinationOf(env, only, options);
  const shared = await destinationFrom(env.context, options);
  if (shared.kind === 'folder') return shared;
  const hint = 'name a folder: -o DIR/, or names: -o {job}.{ext}';
  throw new UsageError(`-o ${options.output ?? ''} takes the result of one job`, { hint });
}

export function openResults({ paths }: Pick<Context, 'paths'>, book: Book = 'jobs') {
  return () => new Ledger(paths, book).openJobs().flatMap(({ saved }) => saved);
}

/** As `checkTarget`, but for a name that holds one of these results, complete, the refusal is returned. */
export async function checkForRun(
  target: Place,
  earlier: () => readonly SavedFile[] = () => [],
): Promise<TakenName | undefined> {
  try {
    await checkTarget(target);
    return undefined;
  } catch (error) {
    const isTaken = error instanceof LocalFileError && error.code === 'file_exists';
    if (!isTaken || target.kind !== 'file') throw error;
    const path = resolve(target.path);
    const result = earlier().find((file) => file.path === path);
    if (!result || !(await isStillWhole(result))) throw error;
    return { path, refusal: error };
  }
}

export function assertOutput(output: string | undefined, { isScreen }: Output): void {
  if (output === '') throw new UsageError('--output needs a name');
  if (output !== '-' || !isScreen) return;
  const hint = 'pipe stdout to another command, or give -o FILE';
  throw new UsageError('-o - would write binary data to the terminal', { hint });
}

const placeholders = ['{model}', '{job}', '{index}', '{ext}'];

function patternIn(output = '') {
  const words = output.match(/\{\w+\}/g);
  if (!words) return undefined;
  const unknown = words.find((word) => !placeholders.includes(word));
  if (unknown !== undefined) {
    const hint = `it accepts ${placeholders.join(', ')}`;
    throw new UsageError(`-o does not accept ${unknown}`, { hint });
  }
  const folder = dirname(output);
  if (/\{\w+\}/.test(folder) || /[/\\]$/.test(output)) {
    throw new UsageError('-o accepts {…} only in the name of the file, not in its folder');
  }
  return { kind: 'folder', folder, pattern: basename(output) } as const;
}

/** @param count how many results there are. */
function targetFor(
  destination: Destination,
  { model = 'job', jobId }: Job,
  index: number,
  count: number,
): Downloading['to'] {
  if (destination.kind === 'stream') return destination;
  if (destination.kind === 'file') {
    if (index === 0) return destination;
    const name = numbered(basename(destination.path), index + 1);
    const isNamed = splitExtension(name)[1] !== '';
    const folder = dirname(destination.path);
    return { kind: 'folder', folder, name: (ext) => (isNamed ? name : `${name}.${ext}`) };
  }
  const { folder, pattern: template = '{model}-{job}.{ext}' } = destination;
  let pattern = template;
  // Otherwise several results with one name would be numbered in the order of their arrival.
  if (count > 1 && !template.includes('{index}')) {
    const stem = template.replace(/\.\{ext\}$/, '');
    const [ownStem, ownExtension] = splitExtension(template);
    pattern = stem === template ? `${ownStem}-{index}${ownExtension}` : `${stem}-{index}.{ext}`;
  }
  const harmless = (text: string) => text.replace(/[^A-Za-z0-9._-]+/g, '-');
  const name = pattern
    .replaceAll('{model}', harmless(model))
    .replaceAll('{job}', harmless(jobId))
    .replaceAll('{index}', String(index));
  return { kind: 'folder', folder, name: (ext) => name.replaceAll('{ext}', ext) };
}

/** Whether an existing file is where the destination would put it. */
export function isAtDestination(
  destination: Place | Destination,
  { path, index }: SavedFile,
): boolean {
  if (destination.kind === 'stream') return false;
  if (destination.kind === 'folder') return resolve(destination.folder) === dirname(path);
  const named = resolve(destination.path);
  return index === 0 ? named === path : dirname(named) === dirname(path);
}

export type Result = URL | Buffer;

const atOnce = 4;

/** Downloads what is not there yet. @throws the first failure, once all have ended */
export async function collect(
  env: JobEnv,
  job: Job,
  results: readonly Result[],
  destination: Destination,
): Promise<Collected[]> {
  const { jobId, intent } = job;
  const { account, client, context, ledger } = env;
  const isPiped = destination.kind === 'stream';
  const chosen = isPiped ? results.slice(0, 1) : results;
  const there = new Map<number, SavedFile>();
  for (const file of ledger.copies({ ...job, account })) {
    if (there.has(file.index) || !isAtDestination(destination, file)) continue;
    if (await isStillWhole(file)) there.set(file.index, file);
  }
  const progress = await openProgress(context, isPiped ? 0 : results.length);
  const fetchOne = async (result: Result, index: number): Promise<Collected> => {
    const old = there.get(index);
    if (old && !destination.isForced) return { ...old, mediaType: undefined, wasThere: true };
    const beforeNaming = (saved: SavedBytes) => {
      const file = { ...saved, index };
      if (intent !== undefined) note(env, { type: 'saved', intent, ...file });
      else note(env, { type: 'fetched', account, jobId, ...file });
    };
    const target = old
      ? ({ ...destination, kind: 'file', path: old.path, replace: true } as const)
      : targetFor(destination, job, index, results.length);
    const to = { ...target, beforeNaming };
    const onProgress = progress.onProgress(index);
    const got =
      result instanceof URL
        ? await fetchResult(client, jobId, { url: result, to, onProgress })
        : await writeResult(result, to, `${jobId} ${String(index)}`);
    const { bytes, mediaType } = got;
    const path = got.path && resolve(got.path);
    if (path) warnOfExtension(context.out, { path, mediaType });
    return { index, path, bytes, mediaType, wasThere: false };
  };
  const failures: unknown[] = [];
  const collected = await inParallel(chosen, atOnce, async (result, index) =>
    fetchOne(result, index).catch((error: unknown) => {
      failures.push(error);
      return undefined;
    }),
  ).finally(progress.stop);
  if (failures.length > 0) throw failures[0];
  if (chosen.length < results.length) {
    const message = `${jobId} has ${results.length} results; only the first was written to stdout`;
    const hint = `download them all: \`svc jobs download ${jobId} -o DIR/\``;
    throw new Incomplete(message, { code: 'several_results', hint });
  }
  return collected.filter((file) => file !== undefined);
}

/** What a job has made, by its status. */
export function collectResults(
  env: JobEnv,
  job: Job,
  { reply, resultUrls }: JobStatus,
  destination: Destination,
): Promise<Collected[]> {
  const model = job.model ?? reply.requestedModel ?? reply.model ?? undefined;
  return collect(env, { ...job, model }, resultLinks(env.client, resultUrls), destination);
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

/** The progress of several downloads, as one line. @param count how many there will be. */
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

/** `downloading 2 files ██████░░░░ 5.4 of 12.0 MB`; without a bar while a length is unknown. */
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

/** A requested name is kept, even if its extension differs; `bin` fits any content. */
export function warnOfExtension(
  out: Output,
  { path, mediaType }: { readonly path: string; readonly mediaType: string | undefined },
): void {
  const extension = splitExtension(path)[1].slice(1);
  const kind = kindByContentType(mediaType);
  const isFine =
    ['', 'bin'].includes(extension) || !kind || isSameExtension(extension, kind.extension);
  if (isFine) return;
  out.warn(`${path} contains ${kind.mediaType}, whose usual extension is .${kind.extension}`);
}
