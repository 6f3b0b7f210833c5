/** The person's own editor, on the terminal that svc runs on. */
import { platform as thisPlatform } from 'node:os';
import type { Env } from '../lib/env.js';

/** The command line of the person's editor; undefined when they have named none. */
export function editorFrom(env: Env): string | undefined {
  return [env['VISUAL'], env['EDITOR']].find((command) => command?.trim());
}

export interface Editing {
  /** A command line, as shells read it: `code --wait`. */
  readonly command: string;
  readonly path: string;
  readonly env: Env;
  readonly signal: AbortSignal;
}

/**
 * Opens a file in the editor and waits until it is left.
 * @returns why the editor failed, as the end of a sentence; undefined when it did not.
 * @throws the signal's reason when aborted; the editor is ended too.
 */
export async function runEditor(
  { command, path, env, signal }: Editing,
  platform: NodeJS.Platform = thisPlatform(),
): Promise<string | undefined> {
  const { spawn } = await import('node:child_process');
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const options = { stdio: 'inherit', env: { ...env } } as const;
    const child =
      platform === 'win32'
        ? spawn(`${command} "${path}"`, { ...options, shell: true })
        : // The path as an argument of its own: no letter of it means anything to the shell.
          spawn('/bin/sh', ['-c', `${command} "$1"`, 'editor', path], options);
    const onAbort = () => {
      child.kill();
      reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    };
    signal.addEventListener('abort', onAbort, { once: true });
    child.once('error', (error) => {
      signal.removeEventListener('abort', onAbort);
      resolve(`could not be run: ${error.message}`);
    });
    child.once('close', (code, killedBy) => {
      signal.removeEventListener('abort', onAbort);
      if (code === 0) resolve(undefined);
      else
        resolve(code === null ? `was ended by ${String(killedBy)}` : `ended with ${String(code)}`);
    });
  });
}
