/** Changes the config file so that nothing is ever lost: one writer at a time, and in one step. */
import { lstatSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { LocalFileError } from '../errors.js';
import { fileTrouble } from '../files/file-trouble.js';
import { makeFolder, syncFolder } from '../lib/own-file.js';
import { replaceFile } from '../lib/replace-file.js';
import { configFile, configVersion, readDocument, type ConfigDocument } from './config.js';
import { withLock, type LockOptions } from './lock.js';
import type { Paths } from './paths.js';

/** @param change it may write what it has changed, and continue with the file still locked. */
export async function updateConfig<Result>(
  paths: Paths,
  options: LockOptions,
  change: (document: ConfigDocument, write: () => Promise<void>) => Result | Promise<Result>,
): Promise<Result> {
  const named = configFile(paths);
  try {
    makeFolder(dirname(named));
    // A symbolic link, as in a folder of dotfiles, stays: its target is replaced.
    const isLink = lstatSync(named, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    const file = isLink ? realpathSync(named) : named;
    const { default: Conf } = await import('conf');
    return await withLock(beside(file, 'lock'), options, async () => {
      let before = readDocument(file);
      const after = structuredClone(before);
      const write = async () => {
        if (isDeepStrictEqual(before, after)) return;
        await publish(file, { version: configVersion, ...after }, Conf);
        before = structuredClone(after);
      };
      const result = await change(after, write);
      await write();
      return result;
    });
  } catch (error) {
    const hint = 'the old file is unchanged; free space or fix permissions, then run it again';
    throw fileTrouble(error, `the config file ${named} cannot be written`, hint);
  }
}

/** With the lock held: the new file is complete and on disk before it replaces the old one. */
async function publish(
  file: string,
  document: ConfigDocument,
  Conf: typeof import('conf').default,
): Promise<void> {
  // A folder of its own, because conf writes once and takes a short write, as on a full disk, for a
  // complete one: the new file is read back before it replaces the old one.
  const fresh = beside(file, 'new');
  rmSync(fresh, { recursive: true, force: true });
  try {
    const store = new Conf<Record<string, unknown>>({ cwd: fresh, configFileMode: 0o600 });
    store.store = document;
    if (readFileSync(store.path, 'utf8') !== JSON.stringify(document, undefined, '\t')) {
      throw new LocalFileError(`the config file ${file} could not be written completely`, {
        hint: 'the disk may be full; the old file is unchanged',
      });
    }
    await replaceFile(store.path, file);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  syncFolder(dirname(file));
}

function beside(file: string, suffix: string): string {
  return join(dirname(file), `.${basename(file)}.${suffix}`);
}
