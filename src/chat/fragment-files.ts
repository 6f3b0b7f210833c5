/** The files of a folder or a glob, without those that git ignores. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import ignore from 'ignore';
import picomatch from 'picomatch';
import type { Context } from '../context.js';
import { codeOf, failing, fileTrouble } from '../files/file-trouble.js';
import { readOwn } from '../lib/own-file.js';

/** Sorted; links are not followed. Hidden files are left out unless the pattern names them. */
export async function filesBelow({ signal }: Context, source: string, isFolder: boolean) {
  const { base, glob } = isFolder ? { base: source, glob: '**' } : picomatch.scan(source);
  const root = base === '' ? '.' : base;
  const matches = isFolder ? () => true : picomatch(glob);
  const depth = glob.includes('**') ? Infinity : glob.split('/').length;
  const takesHidden = /(^|[/{,])\./.test(glob);
  const files: string[] = [];
  const visit = async (folder: string, above: readonly Rules[]): Promise<void> => {
    signal.throwIfAborted();
    const here = join(root, folder);
    const failed = failing(`--file: cannot read ${here}`);
    const entries = await readdir(here, { withFileTypes: true }).catch(failed);
    const rules = [...above, ...rulesIn(here, '.gitignore')];
    for (const entry of entries) {
      const { name } = entry;
      const path = folder === '' ? name : `${folder}/${name}`;
      if (name === '.git' || (name.startsWith('.') && !takesHidden)) continue;
      if (isIgnored(join(root, path), entry.isDirectory(), rules)) continue;
      if (entry.isDirectory() && path.split('/').length < depth) await visit(path, rules);
      // Neither links, pipes, devices nor sockets.
      else if (entry.isFile() && matches(path)) files.push(path);
    }
  };
  const above = rulesAbove(resolve(root));
  // An ignored folder that is named is meant.
  await visit('', isIgnored(root, true, above) ? [] : above);
  return files.sort().map((path) => join(root, path).split(sep).join('/'));
}

type Rules = ReturnType<typeof rulesIn>[number];

/** The patterns of one file, which are relative to the folder. */
function rulesIn(folder: string, file: string) {
  try {
    const text = readOwn(join(folder, file)).replace(/^\ufeff/, '');
    return [{ folder: resolve(folder), patterns: ignore({ ignorecase: false }).add(text) }];
  } catch (error) {
    // Without its patterns, private files could be sent.
    if (codeOf(error) === 'EACCES') throw fileTrouble(error, `cannot read ${join(folder, file)}`);
    return [];
  }
}

/** From the top of the repository to the folder above this one; none outside a repository. */
function rulesAbove(start: string): Rules[] {
  const rules: Rules[] = [];
  for (let folder = start; ; folder = dirname(folder)) {
    if (folder !== start) rules.unshift(...rulesIn(folder, '.gitignore'));
    if (existsSync(join(folder, '.git')))
      return [...rulesIn(folder, '.git/info/exclude'), ...rules];
    if (folder === dirname(folder)) return [];
  }
}

/** The deepest file with a matching pattern decides. */
function isIgnored(path: string, isFolder: boolean, rules: readonly Rules[]): boolean {
  const whole = resolve(path);
  for (const { folder, patterns } of rules.toReversed()) {
    const below = relative(folder, whole).split(sep).join('/');
    if (below === '') continue;
    const { ignored, unignored } = patterns.test(isFolder ? `${below}/` : below);
    if (ignored || unignored) return ignored;
  }
  return false;
}
