// 1 GiB from loopback to a file against `curl -o`, whole processes, and the most memory of ours.
// The files lie in memory where the system has such a place: no disk decides the race, and that
// svc waits for the disk at the end (fsync), as curl does not, counts for nothing there.
import { fork } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { first, interleave, peakOf, report, reportFigure, time } from './measure.mjs';

const rounds = Number(process.env['BENCH_DOWNLOAD_ROUNDS'] ?? 5);
const length = Number(process.env['BENCH_DOWNLOAD_MIB'] ?? 1024) * 1024 * 1024;
const root = join(import.meta.dirname, '..');

/** The download engine as a program: URL, file. */
const program = `
import { createTransport } from './src/http/attempt.js';
import { download } from './src/http/download/download.js';
import { systemClock } from './src/lib/clock.js';
const [url = '', path = ''] = process.argv.slice(2);
const timeouts = { connectMs: 10_000, firstByteMs: 10_000, idleMs: 10_000 };
const to = { kind: 'file' as const, path, replace: false };
const transport = createTransport({ env: {} });
void download({ transport, url: new URL(url), to, timeouts, clock: systemClock, onProgress: () => undefined });
`;

export async function benchDownloads() {
  const scratch = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'svc-bench-'));
  const server = fork(join(import.meta.dirname, 'download-server.mjs'), [String(length)]);
  try {
    const ports = await new Promise((resolve) => server.once('message', resolve));
    const script = await bundled(scratch);
    for (const scheme of ['http', 'https']) await race(scheme, ports[scheme], script, scratch);
  } finally {
    server.kill();
    rmSync(scratch, { recursive: true });
  }
}

async function race(scheme, port, script, scratch) {
  const url = `${scheme}://127.0.0.1:${port}/file`;
  const file = join(scratch, 'file');
  const curl = ['curl', '-sk', '-o', file, url];
  const svc = [process.execPath, '--no-warnings', script, url, file];
  // Neither asks whose certificate it is.
  const env = { NODE_TLS_REJECT_UNAUTHORIZED: '0' };
  const run = (command) => async () => {
    rmSync(file, { force: true });
    const timed = await time([...first, ...command], env);
    if (statSync(file).size !== length) throw new Error(`${command[0]} left no whole file`);
    return timed;
  };
  const times = await interleave({ curl: run(curl), svc: run(svc) }, rounds);
  const name = `${length / 1024 ** 2} MiB to a file over ${scheme} / curl -o`;
  report(name, times, 'svc', 'curl', scheme === 'http' ? '≤ 1.2, then 1.0' : '≤ 1.5, then 1.0');
  rmSync(file, { force: true });
  const { mb } = peakOf(svc, env);
  reportFigure('  its most memory', `${mb.toFixed(0)} MB`, '≤ 100 MB');
}

async function bundled(scratch) {
  const outfile = join(scratch, 'download.cjs');
  await build({
    stdin: { contents: program, resolveDir: root, loader: 'ts' },
    outfile,
    bundle: true,
    minify: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    logLevel: 'error',
  });
  return outfile;
}
