/** Programs that svc starts and ends together with what they have started. */
import type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process';
import process from 'node:process';
import spawn from 'cross-spawn';
import type { Env } from '../lib/env.js';

/** In a new session: it has no terminal, and its processes can be ended together. */
export function startProgram(
  command: string,
  args: readonly string[],
  env: Env,
): ChildProcessWithoutNullStreams {
  const child = spawn(command, args, { detached: true, windowsHide: true, env: { ...env } });
  if (!hasStreams(child)) throw new Error(`${command} has no pipes`);
  return child;
}

function hasStreams(child: ChildProcess): child is ChildProcessWithoutNullStreams {
  return child.stdin !== null && child.stdout !== null && child.stderr !== null;
}

/** Ends it at once, with its children. */
export function killAll(child: ChildProcess, platform: NodeJS.Platform = process.platform): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (platform === 'win32') {
    // It has no process groups.
    const words = ['/pid', String(pid), '/t', '/f'];
    spawn('taskkill', words, { stdio: 'ignore', windowsHide: true }).on('error', () =>
      child.kill(),
    );
    return;
  }
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
}
