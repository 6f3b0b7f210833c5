/** Runs the real bin as a process of its own. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { shellWord } from '../../src/lib/names.js';
import { chunks, chunksEnd, fakeService } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { gate } from '../helpers/gate.js';
import { program, shareCompiledCode } from './package.js';

export interface SpawnOptions {
  /** Beside the little that every run gets; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** What is piped in; left open when it is `open`. */
  readonly stdin?: string | Buffer;
  /** The folder of another package. */
  readonly package?: string;
  /** Words before the script: flags of node. */
  readonly nodeFlags?: readonly string[];
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  /** What has come so far. */
  readonly stdout: () => Buffer;
  /** Resolves when stdout has shown `text`, however often it is asked. */
  readonly shows: (text: string) => Promise<void>;
  readonly ended: Promise<Ended>;
}

/** The environment of a run: settings and data in a folder of the test's own. */
async function envFor(env: SpawnOptions['env'] = {}): Promise<NodeJS.ProcessEnv> {
  const folder = testFolder();
  await shareCompiledCode(folder);
  return { PATH: process.env['PATH'], HOME: folder, SVC_CONFIG_DIR: folder, ...env };
}

/** Starts svc and leaves stdin open. It is killed with the test. */
export async function start(
  words: readonly string[],
  options: SpawnOptions = {},
): Promise<Running> {
  const [command, ...script] = await program(options.package);
  const argv = [...(options.nodeFlags ?? []), ...script, ...words];
  const env = await envFor(options.env);
  return follow(spawn(command, argv, { env, cwd: options.cwd ?? testFolder() }));
}

/** Runs svc to its end. */
export async function svc(words: readonly string[], options: SpawnOptions = {}): Promise<Ended> {
  const { child, ended } = await start(words, options);
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.stdin ?? '');
  return ended;
}

/** Starts a line of bash, in a process group of its own, in which `svc` is the bin. */
export async function startBash(line: string, options: SpawnOptions = {}): Promise<Running> {
  const words = await program(options.package);
  const child = spawn(
    'bash',
    ['-c', `svc() { ${words.map(shellWord).join(' ')} "$@"; }; ${line}`],
    {
      env: await envFor(options.env),
      cwd: options.cwd ?? testFolder(),
      detached: true,
    },
  );
  child.stdin.end();
  return follow(child);
}

/** Runs a line of bash to its end. */
export async function bash(line: string, options: SpawnOptions = {}): Promise<Ended> {
  const { ended } = await startBash(line, options);
  return ended;
}

/**
 * A service that begins an answer and ends it after `rest`, or never; `left` opens when its caller
 * hangs up.
 */
export async function talkative(rest?: Promise<unknown>) {
  const left = gate();
  const service = await fakeService((_request, response) => {
    response.on('close', left.open);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunks('begun'));
    void rest?.then(() => response.end(chunks(' done') + chunksEnd));
  });
  return { env: service.env, left: left.opened };
}

function follow(child: ChildProcessWithoutNullStreams): Running {
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (piece: Buffer) => stdout.push(piece));
  child.stderr.on('data', (piece: Buffer) => stderr.push(piece));
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    child,
    stdout: () => Buffer.concat(stdout),
    shows: (text) =>
      new Promise((resolve) => {
        const look = () => {
          if (Buffer.concat(stdout).includes(text)) resolve();
        };
        child.stdout.on('data', look);
        look();
      }),
    ended: new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => {
        const text = (pieces: Buffer[]) => Buffer.concat(pieces).toString('utf8');
        resolve({ code, signal, stdout: text(stdout), stderr: text(stderr) });
      });
    }),
  };
}
