/**
 * Changes the config file so that nothing is ever lost: one writer at a time, the whole new file
 * checked and on disk before it takes the old one's place in one step.
 *
 * conf applies the change and holds it against the schema, but in a private folder beside the
 * file: left to itself it loses writes between processes, writes a file that others can read,
 * and on a full disk puts a cut file in the place of the good one.
 */
import {
  closeSync,
  fsyncSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ConfigError, LocalFileError } from '../errors.js';
import { codeOf, fileTrouble } from '../files/file-trouble.js';
import { makeFolder, syncFolder } from '../lib/own-file.js';
import { configFile, configVersion, readDocument, type ConfigDocument } from './config.js';
import { withLock, type LockOptions } from './lock.js';
import type { Paths } from './paths.js';
import { profileNamePattern, storedSchemas } from './rules.js';

/**
 * Applies `change` to the config file, alone among all processes, and resolves to what it
 * returns. A change that leaves the document as it was writes nothing.
 * @throws ConfigError when the file is broken (it is kept), LocalFileError when it cannot be
 * written (the old one stays whole); whatever `change` throws.
 */
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
    const { default: Conf } = await import('conf');
    return await withLock(beside(file, 'lock'), options, () => {
      const before = readDocument(file);
      const after = structuredClone(before);
      const result = change(after);
      if (!isDeepStrictEqual(before, after)) {
        publish(file, { version: configVersion, ...after }, Conf);
      }
      return result;
    });
  } catch (error) {
    const hint = 'the old file stands as it was; make room or access, then run it again';
    throw fileTrouble(error, `the config file ${named} cannot be written`, hint);
  }
}

const schema = {
  version: { type: 'integer', const: configVersion },
  profile: { type: 'string' },
  profiles: {
    type: 'object',
    propertyNames: { pattern: profileNamePattern },
    additionalProperties: { type: 'object', properties: storedSchemas },
  },
} as const;

/** Only while the lock is held. */
function publish(file: string, document: ConfigDocument, Conf: typeof import('conf').default) {
  const folder = dirname(file);
  const prefix = basename(beside(file, 'new-'));
  // Folders that a killed writer left; whoever holds the lock is the only one writing.
  for (const name of readdirSync(folder)) {
    if (name.startsWith(prefix)) rmSync(join(folder, name), { recursive: true, force: true });
  }
  const scratch = mkdtempSync(join(folder, prefix));
  try {
    const text = JSON.stringify(document, undefined, '\t');
    const store = new Conf<Record<string, unknown>>({
      cwd: scratch,
      configName: 'config',
      schema,
      configFileMode: 0o600,
      accessPropertiesByDotNotation: false,
      serialize: () => text,
    });
    try {
      store.store = document;
    } catch (cause) {
      if (codeOf(cause) !== undefined || !(cause instanceof Error)) throw cause;
      // conf names the place and the rule, never the value.
      const why = cause.message.replace(/^Config schema violation: /, '');
      throw new ConfigError(`the config file ${file} does not fit its schema: ${why}`, {
        hint: 'svc has left it as it is: correct that place in an editor first',
        code: 'config_broken',
        cause,
      });
    }
    const handle = openSync(store.path, 'r+');
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    if (readFileSync(store.path, 'utf8') !== text) {
      throw new LocalFileError(`the config file ${file} could not be written whole`, {
        hint: 'the disk may be full; the old file stands as it was',
        code: 'local_file',
      });
    }
    renameSync(store.path, file);
    syncFolder(folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** A hidden neighbour of the file. */
function beside(file: string, suffix: string): string {
  return join(dirname(file), `.${basename(file)}.${suffix}`);
}
