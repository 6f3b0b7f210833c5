/** Where the results of a job go: what -o says, checked before anything is spent. */
import { basename, dirname, resolve } from 'node:path';
import type { Context } from '../cli/context.js';
import { LocalFileError, UsageError } from '../errors.js';
import { isStillWhole } from '../files/saved-file.js';
import { checkRoom, checkTarget, targetFrom, type Place, type Target } from '../files/target.js';
import { numbered, splitExtension } from '../lib/file-name.js';
import { isOpen, type SavedFile, openLedger, type Ledger } from '../state/ledger.js';
import type { Output } from '../terminal/types.js';
import type { Job } from './job.js';

export type Destination = (
  | { readonly kind: 'stdout' }
  /** This very name, for the first result; more get numbers. */
  | { readonly kind: 'file'; readonly path: string; readonly replace: boolean }
  /** Names of our own, by a pattern; one that is taken gets a number. */
  | { readonly kind: 'folder'; readonly folder: string; readonly pattern?: string }
) & {
  readonly taken?: TakenName;
  /** --force: what is there already is fetched again. */
  readonly isForced?: boolean;
};

/** A name that has a file, which may be what an earlier run of the same request was to bring. */
export interface TakenName {
  readonly path: string;
  readonly refusal: LocalFileError;
}

/** Where results go; an earlier run's may be there already. @throws UsageError, LocalFileError */
export async function destinationFrom(
  { out, paths }: Pick<Context, 'out' | 'paths'>,
  { output, force: replace = false }: { readonly output?: string; readonly force?: boolean },
  mayResume = false,
): Promise<Destination> {
  assertOutput(output, out);
  if (output === '-') return { kind: 'stdout' };
  const target = patternIn(output) ?? (await targetFrom(output, { replace }));
  const taken = await checkForRun(target, mayResume ? openLedger(paths) : undefined);
  await checkRoom(target);
  return { ...target, taken, isForced: replace };
}

/** As `checkTarget`, but a name that holds the result of a run which did not end is held back. */
export async function checkForRun(
  target: Place,
  ledger: Ledger | undefined,
): Promise<TakenName | undefined> {
  try {
    await checkTarget(target);
    return undefined;
  } catch (error) {
    const isTaken = error instanceof LocalFileError && error.code === 'file_exists';
    if (!isTaken || target.kind !== 'file' || !ledger) throw error;
    const path = resolve(target.path);
    const results = ledger.jobs().flatMap((job) => (isOpen(job) ? job.saved : []));
    const result = results.find((file) => file.path === path);
    if (!result || !(await isStillWhole(result))) throw error;
    return { path, refusal: error };
  }
}

export function assertOutput(output: string | undefined, { isTerminal }: Output): void {
  if (output === '') throw new UsageError('--output needs a name', { code: 'usage' });
  if (output !== '-' || !isTerminal) return;
  const hint = 'pipe them on, or give -o FILE';
  throw new UsageError('-o - would write bytes to the terminal', { code: 'usage', hint });
}

const placeholders = ['{model}', '{job}', '{index}', '{ext}'];

function patternIn(output = ''): Extract<Destination, { kind: 'folder' }> | undefined {
  const given = output.match(/\{\w+\}/g);
  if (!given) return undefined;
  const unknown = given.find((word) => !placeholders.includes(word));
  if (unknown !== undefined) {
    const hint = `it knows ${placeholders.join(', ')}`;
    throw new UsageError(`-o knows no ${unknown}`, { code: 'usage', hint });
  }
  const folder = dirname(output);
  if (/\{\w+\}/.test(folder) || /[/\\]$/.test(output)) {
    throw new UsageError('the folder of -o can hold no {…}: only the name of the file can', {
      code: 'usage',
    });
  }
  return { kind: 'folder', folder, pattern: basename(output) };
}

/** @param count how many results there are. */
export function targetFor(
  destination: Exclude<Destination, { kind: 'stdout' }>,
  { model = 'job', jobId }: Job,
  index: number,
  count: number,
): Target {
  if (destination.kind === 'file') {
    if (index === 0) return destination;
    const name = numbered(basename(destination.path), index + 1);
    const isNamed = splitExtension(name)[1] !== '';
    const folder = dirname(destination.path);
    return { kind: 'folder', folder, name: (ext) => (isNamed ? name : `${name}.${ext}`) };
  }
  const { folder, pattern: given = '{model}-{job}.{ext}' } = destination;
  let pattern = given;
  // Several results with one name would come out numbered in the order of their arrival.
  if (count > 1 && !given.includes('{index}')) {
    const [stem, extension] = given.endsWith('.{ext}')
      ? [given.slice(0, -'.{ext}'.length), '.{ext}']
      : splitExtension(given);
    pattern = `${stem}-{index}${extension}`;
  }
  const harmless = (text: string) => text.replace(/[^A-Za-z0-9._-]+/g, '-');
  const name = pattern
    .replaceAll('{model}', harmless(model))
    .replaceAll('{job}', harmless(jobId))
    .replaceAll('{index}', String(index));
  return { kind: 'folder', folder, name: (ext) => name.replaceAll('{ext}', ext) };
}

/** Whether a file that is there is where the destination would put it. */
export function isAt(destination: Place | Destination, { path, index }: SavedFile): boolean {
  if (destination.kind === 'stdout') return false;
  if (destination.kind === 'folder') return resolve(destination.folder) === dirname(path);
  const named = resolve(destination.path);
  return index === 0 ? named === path : dirname(named) === dirname(path);
}
