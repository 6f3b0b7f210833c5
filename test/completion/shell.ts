/** Runs real shells on completion scripts. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { entries } from '../../src/commands/index.js';
import { completionScript } from '../../src/completion/script.js';
import type { Shell } from '../../src/completion/shells.js';
import { testFolder } from '../helpers/folder.js';
import { nastyEntries, someFiles } from './nasty.js';

/** A title that says why its tests are skipped when the shell is absent. */
export function titleFor(shell: string, title: string): string {
  return isInstalled(shell) ? title : `${title} (skipped: ${shell} is not installed)`;
}

export function isInstalled(shell: string): boolean {
  try {
    execFileSync(shell, ['-c', 'exit 0'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export const localModels = ['local/guide', 'local/echo'];

export interface Stage {
  /** A folder with `someFiles` in it. */
  folder: string;
  /** Where the script stands. */
  script: string;
}

/** A new folder with files to complete and the script of a shell, real commands and odd ones. */
export function stage(shell: Shell): Stage {
  const folder = testFolder();
  for (const name of someFiles) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), '');
  }
  const script = join(testFolder(), shell === 'zsh' ? '_svc' : 'script');
  writeFileSync(script, completionScript(shell, [...entries, ...nastyEntries], localModels));
  return { folder, script };
}

/** Runs a shell and resolves to what it wrote, line by line. */
export async function lines(
  file: string,
  args: readonly string[],
  { folder }: Stage,
  env: Record<string, string> = {},
): Promise<string[]> {
  const { stdout, stderr } = await promisify(execFile)(file, args, {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, TERM: 'dumb', LC_ALL: 'C.UTF-8', ...env },
    timeout: 15_000,
  });
  if (stderr !== '') throw new Error(`${file} complained: ${stderr}`);
  return stdout.split('\n').filter((line) => line !== '');
}
