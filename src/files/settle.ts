/** Gives a whole file its name, never in another's place unless told so. */
import { link, open, rename, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { numbered } from '../lib/file-name.js';
import { codeOf } from './file-trouble.js';
import { taken, type FileTarget } from './target.js';

/**
 * @throws LocalFileError when the name is taken by now, or what the system says; the part file
 * stays as it is.
 */
export async function settleAs(
  partPath: string,
  { path, replace }: Pick<FileTarget, 'path' | 'replace'>,
  beforeNaming?: (path: string) => void,
): Promise<string> {
  beforeNaming?.(path);
  if (replace) await rename(partPath, path);
  else if (!(await giveNewName(partPath, path))) {
    throw taken(path, `what was written is in ${partPath}`);
  }
  return path;
}

/** @returns the path, with a number when the name was taken. @throws what the system says. */
export async function settleIn(
  partPath: string,
  { folder, name }: { folder: string; name: string },
  beforeNaming?: (path: string) => void,
): Promise<string> {
  for (let number = 1; ; number += 1) {
    const path = join(folder, number === 1 ? name : numbered(name, number));
    beforeNaming?.(path);
    if (await giveNewName(partPath, path)) return path;
  }
}

/** False when the name is taken. Of several at once, one gets it. @throws what the system says. */
export async function giveNewName(partPath: string, path: string): Promise<boolean> {
  try {
    await link(partPath, path);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    if (!withoutLinks.has(codeOf(error) ?? '')) throw error;
    return takeEmpty(partPath, path);
  }
  await unlink(partPath);
  return true;
}

/**
 * A second name of a file, to be settled while the file stays where it is; its own where there are
 * no second names. @throws what the system says.
 */
export async function secondName(path: string): Promise<string> {
  const second = `${path}.named`;
  // A run that died here left one.
  await rm(second, { force: true });
  try {
    await link(path, second);
    return second;
  } catch (error) {
    if (!withoutLinks.has(codeOf(error) ?? '')) throw error;
    return path;
  }
}

/** What file systems without hard links answer: FAT, some network shares, some containers. */
const withoutLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EXDEV']);

/** There the name is taken first by an empty file, which the whole one then replaces. */
async function takeEmpty(partPath: string, path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx')).close();
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
  await rename(partPath, path);
  return true;
}
