/** What a name that is not a command stands for: an alias, or a program svc-NAME. Loaded only then. */
import { accessSync, constants, existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, relative } from 'node:path';
import { cwd, platform } from 'node:process';
import { UsageError } from '../errors.js';
import type { Env } from '../lib/env.js';
import { shellWord } from '../lib/names.js';
import { plainText } from '../lib/plain-text.js';
import { customName, readAliases } from '../state/config.js';
import { homeFolders, pathsFrom } from '../state/paths.js';
import type { RunEnv } from '../context.js';
import type { Line } from '../command-line.js';
import type { Block } from './help.js';
import type { Definition } from './topics.js';

/** None where the config file cannot be read, so that their names are unknown. */
export function aliasesIn(env: Env): ReadonlyMap<string, readonly string[]> {
  try {
    return readAliases(pathsFrom(env));
  } catch {
    return new Map();
  }
}

/** The user's aliases and programs, as the help lists them. */
export function ownCommands(env: Env): Block[] {
  const aliases = aliasesIn(env);
  const names = foldersOf(env).flatMap((folder) => {
    try {
      return readdirSync(folder).flatMap((file) => /^svc-([^.]*)/.exec(file)?.[1] ?? []);
    } catch {
      return [];
    }
  });
  const programs = Array.from(new Set(names)).flatMap((name): Definition[] => {
    const file = programFor(name, env);
    return file === undefined ? [] : [[name, plainText(file)]];
  });
  const lines = Array.from(aliases, ([name, words]): Definition => {
    return [plainText(name, 100), plainText(['svc', ...words.map(shellWord)].join(' '))];
  });
  return [
    ['Your aliases', lines],
    ['Your extensions', programs],
  ];
}

/**
 * Runs `svc-NAME` in place of svc: with its streams, its environment and all words after the name.
 * @returns its exit code, 128 and more for a signal as in a shell; undefined when there is none.
 * @throws UsageError for an option before the name that the program would not know of
 */
export async function runExtension(
  run: Pick<RunEnv, 'clock' | 'env' | 'signals'> & { readonly signal: AbortSignal },
  { name, before, after }: NonNullable<Line['unknown']>,
): Promise<number | undefined> {
  const { clock, env, signal: ending, signals = {} } = run;
  const file = programFor(name, env);
  if (file === undefined) return undefined;
  const settings = before.map(({ name: option, text, value }): [string, string] => {
    const variable = variables[option];
    if (variable) return [variable, value ?? '1'];
    throw new UsageError(`${text} cannot come before ${name}, which is the program ${file}`, {
      hint: `put it after ${name}; only --local, --profile and --base-url can come before`,
    });
  });
  const { runForeground } = await import('../tools/foreground.js');
  ending.throwIfAborted();
  // It is svc to its user, and runs svc: it alone gets the key too.
  const own = { ...env, ...Object.fromEntries(settings) };
  const hint = `check the program: ${file}`;
  return runForeground({ command: file, args: after, env: own, hint }, { signals, clock });
}

/** What of the line the program, and each svc that it runs, learns from the environment. */
const variables: Readonly<Record<string, string>> = {
  local: 'SVC_LOCAL',
  profile: 'SVC_PROFILE',
  baseUrl: 'SVC_BASE_URL',
};

const foldersOf = (env: Env) => (env['PATH'] ?? '').split(delimiter).filter(isAbsolute);

/**
 * The first program of that name in the absolute folders of PATH. None in the working folder,
 * which may be a clone of somebody else's, unless it contains a home folder.
 */
function programFor(name: string, env: Env): string | undefined {
  if (!customName.test(name)) return undefined;
  const isWindows = platform === 'win32';
  const endings = isWindows ? (env['PATHEXT'] ?? '.EXE;.CMD').split(';') : [''];
  const files = foldersOf(env).flatMap((folder) =>
    endings.map((ending) => join(folder, `svc-${name}${ending}`)),
  );
  return files.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      // The path of the working folder has no links.
      const homes = homeFolders(env).map((home) => (existsSync(home) ? realpathSync(home) : home));
      const isOwn = homes.some((home) => isInside(home, cwd()));
      return statSync(file).isFile() && (isOwn || !isInside(realpathSync(dirname(file)), cwd()));
    } catch {
      return false;
    }
  });
}

function isInside(folder: string, other: string): boolean {
  const way = relative(other, folder);
  return !/^\.\.(?:[\\/]|$)/.test(way) && !isAbsolute(way);
}
