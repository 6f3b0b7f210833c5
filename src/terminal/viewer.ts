/** Ways to show, play or edit a file with another program; the user's shell. */
import type { ChildProcess, StdioOptions } from 'node:child_process';
import { platform as thisPlatform } from 'node:os';
import { LocalFileError } from '../errors.js';
import { childEnv, type Env } from '../lib/env.js';
import { plainText } from '../lib/plain-text.js';

/**
 * Opens a file and does not wait for the viewer. Not by the package `open`: that starts it with
 * the environment of svc, which has the key, and takes no other.
 * @returns why that failed, as a sentence.
 */
export async function showInViewer(
  path: string,
  env: Env,
  platform: NodeJS.Platform = thisPlatform(),
): Promise<string | undefined> {
  const { spawn } = await import('node:child_process');
  const viewer = viewers[platform] ?? 'xdg-open';
  return new Promise((resolve) => {
    const child = spawn(viewer, [path], { stdio: 'ignore', detached: true, env: childEnv(env) });
    child.unref();
    child.once('error', (error) =>
      resolve(`${viewer} could not show the file: ${plainText(error.message, 100)}`),
    );
    child.once('spawn', () => resolve(undefined));
  });
}

const viewers: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', win32: 'explorer.exe' };

/** Plays a file to its end with the first player that is installed. @throws LocalFileError */
export async function playSound(
  path: string,
  { env, signal }: Pick<ShellCommand, 'env' | 'signal'>,
): Promise<void> {
  const { spawn } = await import('node:child_process');
  const stdio: StdioOptions = ['ignore', 'ignore', 'inherit'];
  const script = `(New-Object Media.SoundPlayer '${path.replace(/['‘’‚‛]/g, '$&$&')}').PlaySync()`;
  const players: (readonly [command: string, ...args: string[]])[] = [
    ['mpv', '--no-video', '--really-quiet', path],
    ['ffplay', '-nodisp', '-autoexit', '-loglevel', 'error', path],
    ['afplay', path],
  ];
  if (path.toLowerCase().endsWith('.wav')) {
    players.push(['paplay', path], ['aplay', '-q', path], ['powershell', '-Command', script]);
  }
  for (const [player, ...args] of players) {
    const child = spawn(player, args, { stdio, env: childEnv(env), signal });
    const failure = await endOf(child);
    signal.throwIfAborted();
    if (failure === undefined) return;
    if (failure.startsWith('could not be run')) continue;
    const hint = `the file is kept: ${path}`;
    throw new LocalFileError(`${player} ${failure}`, { code: 'player_failed', hint });
  }
  const hint = `install mpv or ffmpeg, then play ${path}`;
  throw new LocalFileError('no audio player is installed', { code: 'no_player', hint });
}

export function editorFrom(env: Env): string | undefined {
  return [env['VISUAL'], env['EDITOR']].find((command) => command?.trim());
}

/** Waits until the editor ends. @returns why it failed, as the end of a sentence. */
export function runEditor(
  { command, path, ...more }: { command: string; path: string; env: Env; signal: AbortSignal },
  platform: NodeJS.Platform = thisPlatform(),
): Promise<string | undefined> {
  // The path as an argument of its own: none of its characters means anything to the shell.
  const line = `${command} ${platform === 'win32' ? `"${path}"` : '"$1"'}`;
  return runShell({ command: line, args: [path], stdio: 'inherit', ...more }, platform);
}

interface ShellCommand {
  readonly command: string;
  /** `$1` and so on, in a POSIX shell. */
  readonly args?: readonly string[];
  readonly env: Env;
  readonly stdio: StdioOptions;
  readonly signal: AbortSignal;
}

/** Waits until the command ends. @returns why it failed, as the end of a sentence. */
export async function runShell(
  { command, args = [], env, signal, stdio }: ShellCommand,
  platform: NodeJS.Platform = thisPlatform(),
): Promise<string | undefined> {
  const { spawn } = await import('node:child_process');
  const options = { stdio, env: childEnv(env), signal } as const;
  const child =
    platform === 'win32'
      ? spawn(command, { ...options, shell: true })
      : spawn('/bin/sh', ['-c', command, 'svc', ...args], options);
  const failure = await endOf(child);
  signal.throwIfAborted();
  return failure;
}

/** How a process failed, as the end of a sentence. */
function endOf(child: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(`could not be run: ${error.message}`));
    child.once('close', (code, killedBy) => {
      const end = code === null ? `was ended by ${String(killedBy)}` : `ended with ${String(code)}`;
      resolve(code === 0 ? undefined : end);
    });
  });
}
