/** The service in a process of its own, which can be hung, bloated or killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { bundle, bundleEnv } from '../../test/helpers/bundle.js';
import { keys } from '../../test/service/helpers.js';

let script: Promise<string> | undefined;

export interface ServingOptions {
  readonly storePath?: string;
  readonly openingBalanceRub?: number;
  readonly scriptPath?: string;
  /** How many descriptors the process may have; as many as this one when absent. */
  readonly descriptors?: number;
}

export class Serving {
  constructor(
    readonly url: string,
    readonly pid: number,
    /** Ends it on the spot, as a power cut would. */
    readonly kill: () => Promise<void>,
  ) {}

  /** Posts JSON, or a body as it is, and waits for the answer for at most ten seconds. */
  post(path: string, body: unknown, signal = AbortSignal.timeout(10_000)): Promise<Response> {
    return fetch(this.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys.local}` },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      signal,
    });
  }

  get(path: string): Promise<Response> {
    return fetch(this.url + path, { headers: { authorization: `Bearer ${keys.local}` } });
  }

  /** The most memory that the process has held, in MiB; only Linux tells. */
  peakMemoryMib(): number {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  }
}

/** Starts a process that serves until it is killed or the running test ends. */
export async function serving(options: ServingOptions = {}): Promise<Serving> {
  script ??= bundle('bench/soak/hostile-serve-process.ts');
  const { storePath = ':memory:', openingBalanceRub = 1000, scriptPath = '' } = options;
  const args = [await script, storePath, String(openingBalanceRub), scriptPath];
  const { descriptors } = options;
  const limited = descriptors === undefined ? '' : `ulimit -n ${descriptors} && `;
  const line = ['-c', `${limited}exec "$0" "$@"`, process.execPath, ...args];
  const child = spawn('/bin/sh', line, {
    env: bundleEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(kill);
  let complaints = '';
  child.stderr.on('data', (piece: Buffer) => (complaints += piece.toString()));
  const failed = ended.then((): never => {
    throw new Error(`it does not serve: ${complaints}`);
  });
  failed.catch(() => undefined);
  const first: unknown[] = await Promise.race([once(child.stdout, 'data'), failed]);
  return new Serving(String(first[0]).trim(), child.pid ?? 0, kill);
}
