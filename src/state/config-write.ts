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
  fchmodSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ConfigError, LocalFileError } from '../errors.js';
import { configFile, configVersion, readDocument, type ConfigDocument } from './config.js';
import { codeOf, fileTrouble } from '../files/file-trouble.js';
import { withLock, type LockOptions } from './lock.js';
import { makeFolder, syncFolder } from '../lib/own-file.js';
import type { Paths } from './paths.js';
import { profileNamePattern, profileRules } from './rules.js';

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
  const failed = `the config file ${named} cannot be written`;
  try {
    makeFolder(dirname(named));
    // A link, as a folder of dotfiles has it, stays one: what it points at is replaced.
    const file = linkTarget(named);
    const { default: Conf } = await import('conf');
    return await withLock(beside(file, 'lock'), options, () => {
      const before = readDocument(file) ?? {};
      const after = structuredClone(before);
      const result = change(after);
      if (!isDeepStrictEqual(before, after)) {
        publish(file, { version: configVersion, ...after }, Conf);
      }
      return result;
    });
  } catch (error) {
    throw fileTrouble(
      error,
      failed,
      'the old file stands as it was; make room or access, then run it again',
    );
  }
}

const properties = Object.fromEntries(
  Object.entries(profileRules).map(([name, rule]) => [name, rule.schema]),
);

const schema = {
  version: { type: 'integer', const: configVersion },
  profile: { type: 'string' },
  profiles: {
    type: 'object',
    propertyNames: { pattern: profileNamePattern },
    additionalProperties: { type: 'object', properties },
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
    verify(store.path, text, file);
    renameSync(store.path, file);
    syncFolder(folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The new file must be whole and on disk before it may replace the old one. */
function verify(written: string, text: string, file: string): void {
  const handle = openSync(written, 'r+');
  try {
    fchmodSync(handle, 0o600);
    fsyncSync(handle);
    if (readFileSync(handle, 'utf8') === text) return;
  } finally {
    closeSync(handle);
  }
  throw new LocalFileError(`the config file ${file} could not be written whole`, {
    hint: 'the disk may be full; the old file stands as it was',
    code: 'local_file',
  });
}

/** A hidden neighbour of the file. */
function beside(file: string, suffix: string): string {
  return join(dirname(file), `.${basename(file)}.${suffix}`);
}

/** What a chain of symbolic links ends in, whether or not that exists yet. */
function linkTarget(file: string): string {
  const seen = new Set<string>();
  let target = file;
  while (!seen.has(target)) {
    seen.add(target);
    try {
      target = resolve(realpathSync(dirname(target)), readlinkSync(target));
    } catch (error) {
      // EINVAL: a plain file; ENOENT: not there yet.
      if (['EINVAL', 'ENOENT', 'UNKNOWN'].includes(codeOf(error) ?? '')) return target;
      throw error;
    }
  }
  throw new LocalFileError(`the links of ${file} lead in a circle`, { code: 'local_file' });
}
