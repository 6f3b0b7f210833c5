// 50 MB to a server on loopback, against curl, whole processes, and the most memory of ours: as a
// file in multipart, and as recordings in base64 within JSON, which curl has ready in a file.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import wavefile from 'wavefile';
import { first, interleave, peakOf, report, reportFigure, time } from './measure.mjs';

const rounds = Number(process.env['BENCH_UPLOAD_ROUNDS'] ?? 11);
const megabyte = 1024 * 1024;
const root = join(import.meta.dirname, '..');
const svc = [process.execPath, join(root, 'bin/svc.cjs')];

export async function benchUploads() {
  const scratch = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'svc-bench-'));
  const script = join(import.meta.dirname, 'upload-server.mjs');
  const [command, ...args] = [...first, process.execPath, script];
  const server = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  try {
    const port = await new Promise((resolve) => server.once('message', resolve));
    const url = `http://127.0.0.1:${port}`;
    const env = { SVC_BASE_URL: url, SVC_API_KEY: 'sk-svc-bench', SVC_CONFIG_DIR: scratch };
    await multipart(scratch, url, env);
    await base64(scratch, url, env);
  } finally {
    server.kill();
    rmSync(scratch, { recursive: true });
  }
}

async function multipart(scratch, url, env) {
  const file = join(scratch, 'file.bin');
  writeFileSync(file, Buffer.alloc(50 * megabyte, 'a file that is not of zeros alone '));
  const curl = ['-F', `file=@${file}`, `${url}/v1/files`];
  await race('50 MB in multipart / curl -F', curl, ['files', 'upload', file], env, '≤ 2.5');
}

async function base64(scratch, url, env) {
  // As large as recordings may be: 10 MB and 59 s each, 50 MB and 297 s in all.
  const recordings = Array.from({ length: 5 }, (_, index) => join(scratch, `${index}.wav`));
  const recording = wav(10 * megabyte);
  for (const path of recordings) writeFileSync(path, recording);
  const body = join(scratch, 'body.json');
  const audio = recording.toString('base64');
  const samples = recordings.map(() => ({ audio_base64: audio }));
  writeFileSync(
    body,
    JSON.stringify({ name: 'bench', consent: true, engine: 'extvoice', samples }),
  );
  const type = 'Content-Type: application/json';
  const curl = ['-H', type, '--data-binary', `@${body}`, `${url}/api/media/voices`];
  const create = ['voices', 'create', 'bench', ...recordings, '--engine', 'extvoice', '--consent'];
  await race('50 MB in base64 in JSON / curl --data-binary', curl, create, env, '≤ 4');
}

async function race(name, curl, command, env, limit) {
  const subjects = {
    // It would wait for a word before it sends a body as large as this.
    curl: () => time([...first, 'curl', '-sf', '-H', 'Expect:', ...curl]),
    svc: () => time([...first, ...svc, ...command], env),
  };
  report(name, await interleave(subjects, rounds), 'svc', 'curl', limit);
  const { mb } = peakOf([...svc, ...command], env);
  reportFigure('  its most memory', `${mb.toFixed(0)} MB`, '≤ 80 MB');
}

/** Stereo in CD quality, of so many bytes in all. */
function wav(length) {
  const samples = Int16Array.from({ length: (length - 44) / 4 }, (_, nth) => nth % 20_000);
  const file = new wavefile.WaveFile();
  file.fromScratch(2, 44_100, '16', [samples, samples]);
  return Buffer.from(file.toBuffer());
}
