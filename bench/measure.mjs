// Times whole processes side by side: interleaved rounds, so that what else the machine does
// falls on all alike. The figure is the paired median; the ratio of minima must agree with it.
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { remember } from './release.mjs';

/** The environment of every process measured: this variable alone adds 37 ms to a Node start. */
export const environment = (() => {
  const { NODE_EXTRA_CA_CERTS: _, ...rest } = process.env;
  return rest;
})();

/** Before a command: other work on the machine waits meanwhile, where that is allowed. */
export const first =
  spawnSync('chrt', ['-r', '50', 'true']).status === 0 ? ['chrt', '-r', '50'] : [];

/** Starts a command; what runs in Node tells its processor time at its end. */
export function start([command, ...args], env = {}, stdin = 'ignore') {
  const script = join(import.meta.dirname, 'cpu.cjs');
  const child = spawn(command, args, {
    env: { ...environment, NODE_OPTIONS: `--require ${script}`, ...env },
    stdio: [stdin, 'pipe', 'inherit', 'pipe'],
  });
  let microseconds = '';
  child.stdio[3].on('data', (piece) => {
    microseconds += piece;
  });
  return { child, cpuMs: () => (microseconds === '' ? undefined : microseconds / 1000) };
}

/** Runs a command to its end, its output thrown away through a pipe; milliseconds. */
export function time(words, env = {}) {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const { child, cpuMs } = start(words, env);
    let bytes = 0;
    child.stdout.on('data', (piece) => {
      bytes += piece.length;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      const ms = performance.now() - startedAt;
      if (code === 0) resolve({ ms, cpuMs: cpuMs(), bytes });
      else reject(new Error(`${words.join(' ')} ended with ${code}`));
    });
  });
}

/** Runs a script of node to its end; its time, its most memory and what it said. */
export function peakOf([node, ...script], env, before = []) {
  const peak = join(import.meta.dirname, 'peak.cjs');
  const [command, ...words] = [...before, node, '--require', peak, ...script];
  const start = performance.now();
  const options = { env: { ...environment, ...env }, encoding: 'utf8', maxBuffer: Infinity };
  const { stderr, stdout } = spawnSync(command, words, options);
  const mb = (Number(/peak: (\d+)/.exec(stderr)?.[1]) * 1024) / 1e6;
  return { ms: performance.now() - start, mb, stdout };
}

/**
 * Runs a command with its output through a pipe into `cat`, a reader that keeps up: reading 50 MB
 * here would take longer than curl does. Its time, and that of processors.
 */
export function timeIntoCat(command, env = {}) {
  const line = '{ { "$@"; echo $? >&3; times >&3; } | cat >/dev/null; } 3>&1';
  const start = performance.now();
  const { stdout } = spawnSync('sh', ['-c', line, 'sh', ...command], {
    env: { ...environment, ...env },
    // What a model thinks is written there.
    stdio: ['ignore', 'pipe', 'ignore'],
    encoding: 'utf8',
  });
  const ms = performance.now() - start;
  const [code, , children = ''] = stdout.split('\n');
  if (code !== '0') throw new Error(`${command.join(' ')} ended with ${code}`);
  const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(([, m, s]) => m * 60 + Number(s));
  return { ms, cpuMs: (seconds[0] + seconds[1]) * 1000 };
}

/** @returns for each name its times in ms, round by round; as `NAME CPU` those of processors. */
export async function interleave(subjects, rounds) {
  const times = Object.fromEntries(Object.keys(subjects).map((name) => [name, []]));
  for (const run of Object.values(subjects)) await run(); // warm
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of Object.entries(subjects)) {
      const { ms, cpuMs } = await run();
      times[name].push(ms);
      if (cpuMs !== undefined) (times[`${name} CPU`] ??= []).push(cpuMs);
    }
  }
  return times;
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/**
 * A line of the report: the paired median ratio, the ratio of minima, that of processor time, both
 * medians.
 */
export function report(name, times, subject, base, limit) {
  const paired = median(times[subject].map((ms, round) => ms / times[base][round]));
  const minima = Math.min(...times[subject]) / Math.min(...times[base]);
  const [ofSubject, ofBase] = [times[`${subject} CPU`], times[`${base} CPU`]];
  const cpu = ofSubject && ofBase && Math.min(...ofSubject) / Math.min(...ofBase);
  if (cpu) remember(name, cpu);
  else if (subject.endsWith(' CPU')) remember(name, minima);
  const line = [
    name.padEnd(44),
    paired.toFixed(2).padStart(6),
    minima.toFixed(2).padStart(8),
    (cpu?.toFixed(2) ?? '').padStart(6),
    `${median(times[subject]).toFixed(1)} ms`.padStart(10),
    `${median(times[base]).toFixed(1)} ms`.padStart(10),
    limit.padStart(16),
  ];
  console.log(line.join(' '));
}

/** A line of the report that is no ratio. */
export function reportFigure(work, figure, limit) {
  console.log(`${work.padEnd(44)} ${figure}`.padEnd(80) + limit.padStart(19));
}
