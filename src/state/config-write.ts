/** Changes the config file so that nothing is ever lost: one writer at a time, and in one step. */
import { lstatSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { LocalFileError } from '../errors.js';
import { fileTrouble } from '../files/file-trouble.js';
import { makeFolder, syncFolder } from '../lib/own-file.js';
import { configFile, configVersion, readDocument, type ConfigDocument } from './config.js';
import { withLock, type LockOptions } from './lock.js';
import type { Paths } from './paths.js';

/** Applies `change` to the file, alone among all processes. @throws ConfigError, LocalFileError */
export async function updateConfig<Result>(
  paths: Paths,
  options: LockOptions,
  change: (document: ConfigDocument) => Result,
): Promise<Result> {
  const named = configFile(paths);
  try {
    makeFolder(dirname(named));
    // A link, as a folder of dotfiles has it, stays one: what it points at is replaced.
    const isLink = lstatSync(named, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    const file = isLink ? realpathSync(named) : named;
    return await withLock(beside(file, 'lock'), options, () => {
      const before = readDocument(file);
      const after = structuredClone(before);
      const result = change(after);
      if (!isDeepStrictEqual(before, after)) {
        publish(file, JSON.stringify({ version: configVersion, ...after }, undefined, '\t'));
      }
      return result;
    });
  } catch (error) {
    const hint = 'the old file stands as it was; make room or access, then run it again';
    throw fileTrouble(error, `the config file ${named} cannot be written`, hint);
  }
}

/** Only while the lock is held: the new file is whole and on disk before it replaces the old one. */
function publish(file: string, text: string): void {
  const fresh = beside(file, 'new');
  rmSync(fresh, { force: true });
  try {
    // As bytes, for Node 20 flushes no text.
    writeFileSync(fresh, Buffer.from(text), { flag: 'wx', mode: 0o600, flush: true });
  } catch (cause) {
    rmSync(fresh, { force: true });
    throw new LocalFileError(`the config file ${file} could not be written whole`, {
      hint: 'the disk may be full; the old file stands as it was',
      code: 'local_file',
      cause,
    });
  }
  renameSync(fresh, file);
  syncFolder(dirname(file));
}

function beside(file: string, suffix: string): string {
  return join(dirname(file), `.${basename(file)}.${suffix}`);
}
