/** Aliases in the config file: names, and the words of the command lines that they replace. */
import { listOf, recordOf, textOf } from '../lib/json.js';
import { readConfig } from './config.js';
import type { Paths } from './paths.js';

/** What an alias, or a program `svc-NAME`, may be called. */
export const customName = /^[a-z0-9][a-z0-9-]{0,99}$/;

/** The words of each alias. @throws ConfigError when the config file is broken */
export function readAliases(paths: Paths): ReadonlyMap<string, readonly string[]> {
  const aliases = Object.entries(recordOf(readConfig(paths)['aliases'])).map(
    ([name, words]) => [name, listOf(words).flatMap((word) => textOf(word) ?? [])] as const,
  );
  return new Map(aliases.filter(([, words]) => words.length > 0));
}
