/** Ways to show or edit a file: in the terminal, the system viewer or the user's editor; the user's shell. */
import type { StdioOptions } from 'node:child_process';
import { platform as thisPlatform } from 'node:os';
import { plainText } from '../lib/plain-text.js';
import type { Env } from '../lib/env.js';

/** Opens a file and does not wait for the viewer. @returns why that failed, as a sentence. */
export async function showInViewer(
  path: string,
  env: Env,
  platform: NodeJS.Platform = thisPlatform(),
): Promise<string | undefined> {
  const { spawn } = await import('node:child_process');
  const viewer = viewers[platform] ?? 'xdg-open';
  return new Promise((resolve) => {
    const child = spawn(viewer, [path], { stdio: 'ignore', detached: true, env: { ...env } });
    child.unref();
    child.once('error', (error) =>
      resolve(`${viewer} could not show the file: ${plainText(error.message, 100)}`),
    );
    child.once('spawn', () => resolve(undefined));
  });
}

const viewers: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', win32: 'explorer.exe' };

/** A larger picture would scroll everything else away. */
const rows = 16;

export const maxInlineBytes = 8 * 1024 * 1024;

/** What draws a picture in this terminal; undefined if the terminal is not known to support it. */
export function inlineImage(env: Env, bytes: Uint8Array, mediaType: string): Buffer | undefined {
  if (env['TMUX'] !== undefined || env['STY'] !== undefined) return undefined;
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
  const { KITTY_WINDOW_ID, TERM = '', TERM_PROGRAM = '' } = env;
  const isKitty = KITTY_WINDOW_ID !== undefined || /^xterm-(?:kitty|ghostty)$/.test(TERM);
  if (isKitty || TERM_PROGRAM === 'ghostty') {
    return mediaType === 'image/png' ? kitty(base64) : undefined;
  }
  const isIterm = TERM_PROGRAM === 'iTerm.app' || TERM_PROGRAM === 'WezTerm';
  return isIterm && mediaType.startsWith('image/') && mediaType !== 'image/svg+xml'
    ? Buffer.from(
        `\u001b]1337;File=inline=1;height=${rows};size=${bytes.byteLength}:${base64}\u0007\n`,
      )
    : undefined;
}

/** Kitty's protocol takes PNG in pieces of at most 4096 letters; q=2 keeps it from answering. */
function kitty(base64: string): Buffer {
  const pieces = base64.match(/.{1,4096}/gs) ?? [];
  const commands = pieces.map((piece, index) => {
    const more = index < pieces.length - 1 ? 1 : 0;
    return `\u001b_G${index === 0 ? `a=T,f=100,q=2,r=${rows},` : ''}m=${more};${piece}\u001b\\`;
  });
  return Buffer.from(`${commands.join('')}\n`);
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
  const options = { stdio, env: { ...env }, signal } as const;
  const child =
    platform === 'win32'
      ? spawn(command, { ...options, shell: true })
      : spawn('/bin/sh', ['-c', command, 'svc', ...args], options);
  const failure = await new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(`could not be run: ${error.message}`));
    child.once('close', (code, killedBy) => {
      const end = code === null ? `was ended by ${String(killedBy)}` : `ended with ${String(code)}`;
      resolve(code === 0 ? undefined : end);
    });
  });
  signal.throwIfAborted();
  return failure;
}
