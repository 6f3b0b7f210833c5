/** Programs that svc starts and ends together with what they have started. */
import type { ChildProcess, ChildProcessWithoutNullStreams } from 'node:child_process';
import { delimiter, isAbsolute } from 'node:path';
import process from 'node:process';
import { spawn } from 'cross-spawn';
import type { Env } from '../lib/env.js';

/** They have no terminal that ends them: they end with svc, however it ends. */
const running = new Set<ChildProcessWithoutNullStreams>();
const onEnd = () => {
  for (const child of running) killAll(child);
};

/** Without the working folder, which may be a clone of somebody else's and is what '' names. */
const absolute = (path = '') =>
  path.split(delimiter).filter(isAbsolute).join(delimiter) || undefined;

/** In a new session: it has no terminal, and its processes can be ended together. */
export function startProgram(command: string, args: readonly string[], env: Env) {
  const own = Object.entries(env).map(([name, value]) => {
    return [name, /^path$/i.test(name) ? absolute(value) : value] as const;
  });
  const child = spawn(command, args, {
    detached: true,
    windowsHide: true,
    env: Object.fromEntries(own),
  });
  if (running.size === 0) process.once('exit', onEnd);
  running.add(child);
  const forget = () => {
    running.delete(child);
    if (running.size === 0) process.off('exit', onEnd);
  };
  child.on('error', forget).once('close', forget);
  // What it has started in the background ends with it.
  child.once('exit', () => killAll(child));
  // It may not read what it is given.
  child.stdin.on('error', () => undefined);
  return child;
}

/** Ends it at once, and reads no more: a child that has left its group may keep the output open. */
export function stopProgram(child: ChildProcessWithoutNullStreams): void {
  killAll(child);
  child.stdout.destroy();
  child.stderr.destroy();
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
