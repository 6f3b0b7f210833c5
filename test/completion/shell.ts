/** Runs real shells on completion scripts. */
import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { bundle, bundleEnv } from '../helpers/bundle.js';
import { testFolder } from '../helpers/folder.js';
import { shellWord } from '../../src/lib/names.js';
import { someFiles } from './odd-declarations.js';

export function isInstalled(shell: string): boolean {
  try {
    execFileSync(shell, ['-c', 'exit 0'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

let bundled: Promise<string> | undefined;

/** A folder with a program `svc` that completes odd declarations too. */
async function programFolder(): Promise<string> {
  bundled ??= bundle('test/completion/complete-process.ts');
  const folder = testFolder();
  const command = [process.execPath, await bundled].map(shellWord).join(' ');
  writeFileSync(join(folder, 'svc'), `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 });
  return folder;
}

export interface Stage {
  /** A folder with `someFiles` in it. */
  readonly folder: string;
  /** Where the script stands. */
  readonly script: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A new folder with files to complete, a script of completions/, and svc on its PATH. */
export async function stage(file: 'svc.bash' | '_svc' | 'svc.fish'): Promise<Stage> {
  const folder = testFolder();
  for (const name of someFiles) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), '');
  }
  const script = join(testFolder(), file);
  copyFileSync(`${import.meta.dirname}/../../completions/${file}`, script);
  const path = [await programFolder(), process.env['PATH']].join(delimiter);
  const { NODE_PATH } = bundleEnv;
  const env = { PATH: path, NODE_PATH, HOME: folder, TERM: 'dumb', LC_ALL: 'C.UTF-8' };
  return { folder, script, env };
}

/** Runs a shell and resolves to what it wrote, line by line. */
export async function lines(
  file: string,
  args: readonly string[],
  { folder, env }: Stage,
  more: Record<string, string> = {},
): Promise<string[]> {
  const options = { cwd: folder, env: { ...env, ...more }, timeout: 30_000 };
  const { stdout, stderr } = await promisify(execFile)(file, args, options);
  if (stderr !== '') throw new Error(`${file} complained: ${stderr}`);
  return stdout.split('\n').filter((line) => line !== '');
}
