/** A cluster of Slurm with one node, on this machine, for the length of a test. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import { testFolder } from '../../helpers/folder.js';

/** Daemons that run jobs as their users must be root's. */
export const hasSlurm =
  process.getuid?.() === 0 &&
  ['munged', 'slurmctld', 'slurmd'].every((name) => spawnSync(name, ['-V']).status === 0);

/** @returns the environment of its commands */
export async function startSlurm(): Promise<{ readonly SLURM_CONF: string }> {
  const folder = testFolder();
  const file = (name: string) => join(folder, name);
  const log = openSync(file('log'), 'a');
  const daemon = (name: string, args: readonly string[]) => {
    const child = spawn(name, args, {
      stdio: ['ignore', log, log],
      env: { ...process.env, ...env },
    });
    onTestFinished(async () => {
      const ended = once(child, 'close');
      child.kill();
      await ended;
    });
  };
  const env = { SLURM_CONF: file('slurm.conf') };
  const node = hostname().replace(/\..*/, '');
  // Credentials are between processes of one user, whose socket others need not reach.
  chmodSync(folder, 0o700);
  writeFileSync(file('key'), Buffer.alloc(128, 'a key of tests'), { mode: 0o600 });
  for (const name of ['state', 'spool']) mkdirSync(file(name));
  writeFileSync(
    env.SLURM_CONF,
    `ClusterName=test
SlurmctldHost=${node}(127.0.0.1)
SlurmctldPort=${await freePort()}
SlurmdPort=${await freePort()}
AuthInfo=socket=${file('socket')}
SlurmUser=root
StateSaveLocation=${file('state')}
SlurmdSpoolDir=${file('spool')}
SlurmctldPidFile=${file('slurmctld.pid')}
SlurmdPidFile=${file('slurmd.pid')}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
NodeName=${node} NodeAddr=127.0.0.1 CPUs=1 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP OverSubscribe=FORCE:16
`,
  );
  const named = [`--key-file=${file('key')}`, `--socket=${file('socket')}`];
  const kept = ['pid', 'seed', 'log'].map((name) => `--${name}-file=${file(`munged.${name}`)}`);
  daemon('munged', ['--force', '--foreground', ...named, ...kept]);
  daemon('slurmctld', ['-D']);
  daemon('slurmd', ['-D']);
  const isIdle = () => {
    const { stdout } = spawnSync('sinfo', ['-h', '-o', '%T'], { env: { ...process.env, ...env } });
    expect(stdout.toString().trim()).toBe('idle');
  };
  await vi.waitFor(isIdle, { timeout: 60_000, interval: 200 });
  return env;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? address.port : 0;
}
