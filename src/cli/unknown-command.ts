/** What a name that is not a command stands for: an alias, or a program svc-NAME. Loaded only then. */
import { accessSync, constants, existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { constants as os } from 'node:os';
import { delimiter, dirname, isAbsolute, join, relative } from 'node:path';
import { cwd, platform } from 'node:process';
import { isatty } from 'node:tty';
import { UsageError } from '../errors.js';
import { failing } from '../files/file-trouble.js';
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
  { env, signal: ending, signals = {} }: Pick<RunEnv, 'env' | 'signals'> & { signal: AbortSignal },
  { name, before, after }: NonNullable<Line['unknown']>,
): Promise<number | undefined> {
  const file = programFor(name, env);
  if (file === undefined) return undefined;
  const settings = before.map(({ name: option, text, value }): [string, string] => {
    const variable = variables[option];
    if (variable) return [variable, value ?? '1'];
    throw new UsageError(`${text} cannot come before ${name}, which is the program ${file}`, {
      hint: `put it after ${name}; only --local, --profile and --base-url can come before`,
    });
  });
  const { default: spawn } = await import('cross-spawn');
  ending.throwIfAborted();
  const ended = new Promise<number>((resolve, reject) => {
    // It is svc to its user, and runs svc: it alone gets the key too.
    const environment = { ...env, ...Object.fromEntries(settings) };
    const child = spawn(file, after, { stdio: 'inherit', env: environment });
    // Ctrl-C on a terminal reaches the program without svc.
    const hasTerminal = [0, 1, 2].some(isatty);
    signals.passOn = (signal) => {
      if (signal !== 'SIGINT' || !hasTerminal) child.kill(signal);
    };
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? 128 + os.signals[signal ?? 'SIGTERM']));
  });
  return ended.catch(failing(`${file} cannot be run`, `check the program: ${file}`));
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
