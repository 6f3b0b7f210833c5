/** Where a file is written, and how it gets its name: it replaces another only on request. */
import { constants } from 'node:fs';
import { access, lstat, mkdir, stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { LocalFileError, UsageError } from '../errors.js';
import { formatBytes } from '../lib/amounts.js';
import { nthName, safeFileName } from '../lib/file-name.js';
import { shellWord } from '../lib/names.js';
import { syncFolder } from '../lib/own-file.js';
import { giveNewName, replaceFile } from '../lib/replace-file.js';
import type { Claim } from './claim.js';
import { codeOf, failing, fileTrouble } from './file-trouble.js';
import type { Print, SavedBytes } from './saved-file.js';

/** A target as far as it is known before there is anything to name. A folder may still be missing. */
export type Place =
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly replace: boolean;
      /** The part file that this run has claimed for it (`holdName`). */
      readonly claim?: Claim;
    }
  | { readonly kind: 'folder'; readonly folder: string };
type FilePlace = Extract<Place, { kind: 'file' }>;

/** A name chosen by svc in a folder; an existing name gets a number. */
interface FolderTarget extends Extract<Place, { kind: 'folder' }> {
  /** The name for an extension without its dot. Only its last part is used, made safe. */
  readonly name: (extension: string) => string;
  /** The extension for unknown content; `bin` when absent. */
  readonly unknown?: string;
}

export type Target = (FilePlace | FolderTarget) & {
  /** Called with each name just before it is tried: it may be the last thing this process does. */
  readonly beforeNaming?: (file: Required<SavedBytes>) => void;
};

export function nameIn({ name, unknown = 'bin' }: FolderTarget, extension = unknown): string {
  return safeFileName(name(extension)) ?? 'download';
}

/** What `-o` says: a name that ends in a slash, or that of an existing folder, is a folder. */
export async function targetFrom(output = '.', { replace }: { replace: boolean }): Promise<Place> {
  const isFolder =
    output.endsWith('/') || output.endsWith(sep) || (await whatIsAt(output)) === 'folder';
  return isFolder ? { kind: 'folder', folder: output } : { kind: 'file', path: output, replace };
}

/** Checks that a file can be created there, before money is spent on it. @throws LocalFileError */
export async function checkTarget(target: Place): Promise<void> {
  if (target.kind === 'file') await checkName(target);
  const folder = await existingFolder(target);
  const there = await whatIsAt(folder);
  if (there !== 'folder') {
    const hint = there === undefined ? `create it first: mkdir -p ${shellWord(folder)}` : undefined;
    throw new LocalFileError(`there is no folder ${folder}`, { code: 'no_folder', hint });
  }
  await access(folder, constants.W_OK).catch(failing(`cannot write in ${folder}`));
}

export async function prepareTarget(target: Place): Promise<void> {
  await checkTarget(target);
  if (target.kind === 'folder') await createFolder(target.folder);
}

/** Node's own `recursive` never ends where a parent refuses new folders, as /proc does. */
export async function createFolder(folder: string): Promise<void> {
  if ((await whatIsAt(folder)) !== undefined) return;
  await createFolder(dirname(resolve(folder)));
  await mkdir(folder).catch((cause: unknown) => {
    if (codeOf(cause) === 'EEXIST') return;
    throw fileTrouble(cause, `cannot create the folder ${folder}`);
  });
  syncFolder(dirname(resolve(folder)));
}

/** The folder of a file; of a folder, the part of its path that exists. */
async function existingFolder(target: Place): Promise<string> {
  if (target.kind === 'file') return dirname(target.path);
  let { folder } = target;
  while ((await whatIsAt(folder)) === undefined && dirname(folder) !== folder) {
    folder = dirname(resolve(folder));
  }
  return folder;
}

const minRoomBytes = 64 * 1024;

export async function checkRoom(target: Place): Promise<void> {
  const folder = await existingFolder(target);
  const disk = await statfs(folder).catch(() => undefined);
  // Some file systems report no size.
  if (!disk?.blocks || disk.bavail * disk.bsize >= minRoomBytes) return;
  const left = formatBytes(disk.bavail * disk.bsize);
  throw new LocalFileError(`the disk of ${folder} is full (${left} left); nothing was sent`, {
    hint: 'free some space, or choose a folder on another disk: -o DIR/',
  });
}

async function checkName({ path, replace }: FilePlace): Promise<void> {
  const there = await whatIsAt(path);
  if (there === 'folder') {
    throw new LocalFileError(`cannot write ${path}: it is a folder`);
  }
  // A rename would replace a device by a file.
  if (there === 'other') {
    throw new LocalFileError(`cannot write ${path}: it is not a regular file`, {
      hint: `write to stdout and redirect it: > ${path}`,
    });
  }
  if (there === 'file' && !replace) throw taken(path, 'or use --force to replace it');
  // Its name while it is incomplete, with that of its note, is longer.
  await whatIsAt(`${path}.part.json`);
}

function taken(path: string, orElse: string): LocalFileError {
  const hint = `choose another name, ${orElse}`;
  return new LocalFileError(`${path} exists`, { code: 'file_exists', hint });
}

/** What exists under a name; a dangling link counts as a file. @throws UsageError for a long one */
export async function whatIsAt(path: string): Promise<'file' | 'folder' | 'other' | undefined> {
  try {
    const stats = await stat(path).catch(() => lstat(path));
    if (stats.isDirectory()) return 'folder';
    return stats.isFile() || stats.isSymbolicLink() ? 'file' : 'other';
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    if (codeOf(cause) !== 'ENAMETOOLONG') throw fileTrouble(cause, `cannot write ${path}`);
    const words = `${path} is too long for the name of a file; nothing was sent`;
    throw new UsageError(words, { code: 'name_too_long', hint: 'choose a shorter name' });
  }
}

/** Gives a complete file its name, and returns it; after an error it stays as NAME.part. */
export async function giveName(
  partPath: string,
  target: Target,
  extension?: string,
  print?: Print,
): Promise<string> {
  const announce = (path: string) =>
    print && target.beforeNaming?.({ path: resolve(path), ...print });
  if (target.kind === 'file') {
    const { path, replace } = target;
    announce(path);
    if (replace) await replaceFile(partPath, path);
    else if (!(await giveNewName(partPath, path))) {
      throw taken(path, `what was written is in ${partPath}`);
    }
    return path;
  }
  const name = nameIn(target, extension);
  for (let number = 1; ; number += 1) {
    const path = join(target.folder, nthName(name, number));
    announce(path);
    if (await giveNewName(partPath, path)) return path;
  }
}
