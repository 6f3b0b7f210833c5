/** A cluster of Slurm with one node, on this machine, for the length of a test. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import { testFolder } from '../../test/helpers/folder.js';

/** A node that runs jobs as their users must be root's. */
export const hasSlurm =
  process.getuid?.() === 0 &&
  ['slurmctld', 'slurmd'].every((name) => spawnSync(name, ['-V']).status === 0);

/** @returns the environment of its commands */
export async function startSlurm(): Promise<{ readonly SLURM_CONF: string }> {
  const folder = testFolder();
  const node = hostname().replace(/\..*/, '');
  // Below those that the system gives to others.
  const port = 10_000 + (process.pid % 10_000) * 2;
  const SLURM_CONF = join(folder, 'slurm.conf');
  writeFileSync(
    SLURM_CONF,
    `ClusterName=test
SlurmctldHost=${node}(127.0.0.1)
SlurmctldPort=${port}
SlurmdPort=${port + 1}
AuthType=auth/none
CredType=cred/none
SlurmUser=root
StateSaveLocation=${folder}/state
SlurmdSpoolDir=${folder}/spool
SlurmctldPidFile=${folder}/slurmctld.pid
SlurmdPidFile=${folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
NodeName=${node} NodeAddr=127.0.0.1 CPUs=1
PartitionName=all Nodes=ALL Default=YES OverSubscribe=FORCE:16
`,
  );
  for (const name of ['state', 'spool']) mkdirSync(join(folder, name));
  const env = { ...process.env, SLURM_CONF };
  for (const name of ['slurmctld', 'slurmd']) {
    const daemon = spawn(name, ['-D'], { stdio: 'ignore', env });
    onTestFinished(async () => {
      daemon.kill();
      await once(daemon, 'close');
    });
  }
  const isIdle = () => {
    expect(spawnSync('sinfo', ['-ho', '%T'], { env }).stdout.toString()).toBe('idle\n');
  };
  await vi.waitFor(isIdle, { timeout: 60_000, interval: 200 });
  return { SLURM_CONF };
}
