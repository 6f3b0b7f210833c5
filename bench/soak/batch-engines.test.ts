/** Engines that really run a plan of 16 shards, one of which is killed and run again. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { shardFrom } from '../../src/batch/shard.js';
import { recordOf, textOf } from '../../src/lib/json.js';
import { installed } from '../../test/bin/package.js';
import { start, svc } from '../../test/bin/svc.js';
import { testFolder } from '../../test/helpers/folder.js';
import { localScript } from '../../test/helpers/local-script.js';
import { hasSlurm, startSlurm } from './slurm.js';

const ids = Array.from({ length: 400 }, (_, at) => `q${at}`).sort();
const [late = '', ...others] = ids.filter((id) => shardFrom('5/16', {})?.holds(id));

/** A folder with a plan whose fifth shard waits for one answer, until it is killed. */
async function scene(engine: string, more: Readonly<Record<string, string>> = {}) {
  const folder = testFolder();
  const file = (name: string) => join(folder, name);
  const isLate = { match: { regex: `^${late}$` }, times: 1, delayMs: 600_000, reply: 'yes' };
  const script = localScript(isLate, { reply: 'yes' });
  const service = await start(['serve', '--port', '0'], { env: script });
  await service.shows('\n');
  const lines = ids.map((id) => JSON.stringify({ custom_id: id, prompt: id }));
  writeFileSync(file('in put.jsonl'), `${lines.join('\n')}\n`);
  const bin = join(await installed(), 'bin/svc.cjs');
  const command = `case "$*" in *"--shard 5/16"*) echo $$ > fifth.pid;; esac
exec '${process.execPath}' '${bin}' "$@"`;
  writeFileSync(file('svc'), `#!/bin/sh\n${command}\n`, { mode: 0o755 });
  const env = {
    ...more,
    PATH: `${folder}:${process.env['PATH'] ?? ''}`,
    SVC_CONFIG_DIR: testFolder(),
    SVC_API_KEY: 'sk-svc-local',
    SVC_BASE_URL: service.stdout().toString().trim(),
  };
  const words = ['--engine', engine, '-n', '16', '--unknown', 'retry', '-m', 'local/script'];
  const { stdout } = await svc(['batch', 'plan', ...words, 'in put.jsonl'], { env });
  writeFileSync(file('plan.sh'), stdout);
  const answered = (shard: number) => {
    const path = file(`answers-${shard}-of-16.jsonl`);
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
    return lines.map((line) => textOf(recordOf(JSON.parse(line))['custom_id'])).sort();
  };
  return {
    file,
    /** The exit code of a command in the folder. */
    runs: async (name: string, ...args: string[]) => {
      const child = spawn(name, args, { cwd: folder, env, stdio: 'ignore' });
      const [code]: unknown[] = await once(child, 'close');
      return code;
    },
    killFifth: async () => {
      const waits = () => {
        expect(answered(5)).toEqual(others);
      };
      await vi.waitFor(waits, { timeout: 60_000, interval: 100 });
      process.kill(Number(readFileSync(file('fifth.pid'), 'utf8')), 'SIGKILL');
    },
    union: () =>
      Array.from({ length: 16 }, (_, at) => answered(at + 1))
        .flat()
        .sort(),
  };
}

const allButOne = ids.filter((id) => id !== late);
const hasParallel = spawnSync('parallel', ['--version']).status === 0;

test.skipIf(!hasParallel)(
  'GNU parallel (package parallel) runs 16 shards, and again the one that was killed',
  async () => {
    const { file, killFifth, runs, union } = await scene('parallel');
    // One for each job that failed.
    const [failed] = await Promise.all([runs('bash', 'plan.sh'), killFifth()]);
    expect([failed, union()]).toEqual([1, allButOne]);
    expect([await runs('bash', 'plan.sh'), union()]).toEqual([0, ids]);
    const jobs = readFileSync(file('answers.jsonl.joblog'), 'utf8').trim().split('\n').slice(1);
    expect(jobs.map((job) => Number(job.split('\t')[0])).slice(16)).toEqual([5]);
  },
  180_000,
);

test.skipIf(!hasSlurm)(
  'Slurm (packages slurmctld and slurmd) runs 16 shards, and again the one that was killed',
  async () => {
    const { killFifth, runs, union } = await scene('slurm', await startSlurm());
    const [failed] = await Promise.all([runs('sbatch', '--wait', 'plan.sh'), killFifth()]);
    expect([failed, union()]).toEqual([137, allButOne]);
    expect([await runs('sbatch', '--wait', '--array=5', 'plan.sh'), union()]).toEqual([0, ids]);
  },
  180_000,
);
