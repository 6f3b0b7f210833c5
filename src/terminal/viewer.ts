/** The system's own way to show a file. */
import { platform as thisPlatform } from 'node:os';
import { plainText } from '../lib/plain-text.js';
import type { Env } from '../lib/env.js';

/**
 * Opens a file with the viewer that the system has for it, and does not wait for it.
 * @returns why that could not be, as a sentence; undefined when it was begun.
 */
export async function showInViewer(
  path: string,
  env: Env,
  platform: NodeJS.Platform = thisPlatform(),
): Promise<string | undefined> {
  const { spawn } = await import('node:child_process');
  const viewer = viewers[platform] ?? 'xdg-open';
  return new Promise((resolve) => {
    const child = spawn(viewer, [path], { stdio: 'ignore', detached: true, env: { ...env } });
    child.once('error', (error) => {
      resolve(`${viewer} could not show the file: ${plainText(error.message, 100)}`);
    });
    child.once('spawn', () => {
      child.unref();
      resolve(undefined);
    });
  });
}

const viewers: Partial<Record<NodeJS.Platform, string>> = { darwin: 'open', win32: 'explorer.exe' };
