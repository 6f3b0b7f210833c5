/** The config file, read on nearly every start, plainly and quickly. A broken one is left alone. */
import { join } from 'node:path';
import { ConfigError } from '../errors.js';
import { isRecord, jsonFault, listOf, recordOf, textOf } from '../lib/json.js';
import { readOwn } from '../lib/own-file.js';
import { codeOf, fileReason } from '../files/file-trouble.js';
import type { Paths } from './paths.js';
import { isAmount, keyFields, rules, type StoredProfile } from './rules.js';

export const configVersion = 1;
export const defaultProfile = 'default';

/** The content of the file; unknown fields are kept. */
export interface ConfigDocument {
  version?: number;
  profile?: string;
  profiles?: Record<string, Record<string, unknown>>;
  [unknown: string]: unknown;
}

export function configFile(paths: Paths): string {
  return join(paths.config, 'config.json');
}

export function readConfig(paths: Paths): ConfigDocument {
  return readDocument(configFile(paths));
}

export function readDocument(file: string): ConfigDocument {
  let text: string;
  try {
    text = readOwn(file).replace(/^\uFEFF/, '');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return {};
    throw new ConfigError(`the config file ${file} cannot be read: ${fileReason(error)}`, {
      hint: 'make it readable, or set SVC_CONFIG_DIR to another folder',
      code: 'config_unreadable',
      cause: error,
    });
  }
  if (text.trim() === '') throw broken(file, 'it is empty');
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw broken(file, `it is not JSON${jsonFault(text, error)}`);
  }
  assertShape(file, document);
  return document;
}

function broken(file: string, problem: string): ConfigError {
  return new ConfigError(`the config file ${file} cannot be used: ${problem}`, {
    hint: 'svc has not changed it: correct it in an editor, or move it away and run: svc login',
    code: 'config_broken',
  });
}

function assertShape(file: string, document: unknown): asserts document is ConfigDocument {
  if (!isRecord(document)) throw broken(file, 'it must be a JSON object');
  const { version = configVersion, profile = '', profiles = {} } = document;
  if (version !== configVersion) {
    throw broken(file, `its version must be ${configVersion}; a newer svc may have written it`);
  }
  if (typeof profile !== 'string') throw broken(file, '"profile" must be a string');
  if (!isRecord(profiles)) throw broken(file, '"profiles" must be an object');
  const odd = Object.entries(profiles).find(([, value]) => !isRecord(value));
  if (odd) throw broken(file, `profile ${JSON.stringify(odd[0])} must be an object`);
}

export function profileNames(config: ConfigDocument): string[] {
  return Object.keys(config.profiles ?? {});
}

export function rawProfile(
  { profiles = {} }: ConfigDocument,
  name: string,
): Record<string, unknown> | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

/** What a profile holds, each field of the right type. @throws ConfigError naming the field. */
export function storedProfile(config: ConfigDocument, name: string, file: string): StoredProfile {
  const raw = rawProfile(config, name) ?? {};
  for (const field of [...Object.keys(rules), ...keyFields]) {
    const type = isAmount(field) ? 'number' : 'string';
    if (raw[field] === undefined || typeof raw[field] === type) continue;
    throw invalidField(file, name, field, `must be a ${type}`);
  }
  return raw;
}

export function invalidField(
  file: string,
  profile: string,
  field: string,
  problem: string,
): ConfigError {
  // What svc login wrote is removed with the key.
  const isSetting = Object.hasOwn(rules, field);
  const remedy = isSetting ? `it: svc config unset ${field}` : 'the key: svc logout';
  return new ConfigError(`${field} of profile "${profile}" in ${file} is wrong: ${problem}`, {
    hint: `correct it in an editor, or remove ${remedy} --profile ${profile}`,
    code: 'config_broken',
  });
}

/** What an alias, or a program `svc-NAME`, may be called. */
export const customName = /^[a-z0-9][a-z0-9-]{0,99}$/;

/** The words of each alias. @throws ConfigError when the config file is broken */
export function readAliases(paths: Paths): ReadonlyMap<string, readonly string[]> {
  const aliases = Object.entries(recordOf(readConfig(paths)['aliases'])).map(
    ([name, words]) => [name, listOf(words).flatMap((word) => textOf(word) ?? [])] as const,
  );
  return new Map(aliases.filter(([, words]) => words.length > 0));
}
