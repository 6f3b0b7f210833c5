/** The names of a batch's output: OUT, its links, and the journal beside it. */
import { existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from '../errors.js';
import { fileTrouble } from '../files/file-trouble.js';
import { realName } from '../files/named-file.js';

export const journalOf = (output: string) => `${mainName(output)}.sent`;

/**
 * The one of OUT's names, which may be links, whose journal and lock it has: under each name it is
 * the same batch. @throws UsageError where that name cannot be known
 */
export function mainName(output: string): string {
  const hasFiles = (name: string) => existsSync(`${name}.sent`) || existsSync(`${name}.lock`);
  if (existsSync(`${output}.sent`)) return output;
  const real = realName(output);
  const stats = statsOf(real);
  if (!stats?.isFile() || stats.nlink < 2 || hasFiles(real)) return real;
  const names = readdirSync(dirname(real))
    .map((name) => join(dirname(real), name))
    .filter((name) => lstatSync(name, { throwIfNoEntry: false })?.ino === stats.ino)
    .sort();
  const main = names.find(hasFiles) ?? (names.length < stats.nlink ? undefined : names[0]);
  if (main !== undefined) return main;
  throw new UsageError(`${output} is a hard link, and its other name is in another folder`, {
    code: 'other_output',
    hint: 'give the name that the batch was started with, or choose another file',
  });
}

/** What is there, if anything. @throws LocalFileError */
export function statsOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (cause) {
    throw fileTrouble(cause, `cannot write ${path}`);
  }
}
