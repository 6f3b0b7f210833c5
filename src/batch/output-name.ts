/** The names of a batch's output: OUT, its links, and the folder OUT.svc with its journal and lock. */
import { existsSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from '../errors.js';
import { codeOf, fileTrouble } from '../files/file-trouble.js';
import { realName } from '../files/named-file.js';

const folderOf = (name: string) => `${name}.svc`;
const journalIn = (folder: string) => join(folder, 'journal');

export const journalOf = (output: string) => journalIn(folderOf(mainName(output)));

/** Where it once was: what it says was sent must not be sent again. */
export const olderJournalOf = (output: string) => `${mainName(output)}.sent`;

/** Of the folder OUT.svc, which is made: what is sent is noted there. @throws LocalFileError */
export function lockOf(output: string): string {
  const folder = folderOf(mainName(output));
  try {
    mkdirSync(folder);
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST') throw fileTrouble(cause, `cannot create the folder ${folder}`);
  }
  return join(folder, 'lock');
}

/**
 * The one of OUT's names, which may be links, whose folder it has: under each name it is the same
 * batch. @throws UsageError where that name cannot be known
 */
function mainName(output: string): string {
  const hasFiles = (name: string) => existsSync(folderOf(name));
  if (existsSync(journalIn(folderOf(output)))) return output;
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
