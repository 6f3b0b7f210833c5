// How long `svc batch run` takes for 20,000 posts, 64 at once, beside `curl -Z`, undici alone and the
// SDK of openai; for 500, where loading counts; and its most memory for 200,000.
import { fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { interleave, median, peakOf, report, reportFigure, time } from './measure.mjs';

const atOnce = '64';
const sdk = join(import.meta.dirname, 'posts-openai.mjs');
const undici = join(import.meta.dirname, 'posts-undici.mjs');
const path = '/v1/chat/completions';
const bodyOf = (nth) => {
  return {
    model: 'vendor/model',
    messages: [{ role: 'user', content: `Is lighthouse ${nth} lit?` }],
  };
};

/** @param svc the command. */
export async function benchPosts(svc, rounds) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-posts-'));
  const server = fork(join(import.meta.dirname, 'server.mjs'), ['posts']);
  const port = await new Promise((resolve) => server.once('message', resolve));
  const url = `http://127.0.0.1:${port}`;
  const env = { SVC_BASE_URL: url, SVC_API_KEY: 'sk-svc-bench', SVC_CONFIG_DIR: folder };
  const file = (name, count, lineOf) => {
    const lines = Array.from({ length: count }, (_, nth) => lineOf(nth));
    writeFileSync(join(folder, name), lines.join('\n'));
    return join(folder, name);
  };
  /** The command for so many posts, with nothing done yet. */
  const batch = (input) => {
    const output = join(folder, 'out.jsonl');
    for (const end of ['', '.sent', '.svc']) rmSync(output + end, { force: true, recursive: true });
    return [...svc, 'batch', 'run', input, '-o', output, '--concurrency', atOnce];
  };
  const lineOf = (nth) =>
    JSON.stringify({ custom_id: `row-${nth}`, method: 'POST', url: path, body: bodyOf(nth) });
  const small = file('20000.jsonl', 20_000, lineOf);
  // Each answer in a file of its own: on stdout they would be mixed.
  mkdirSync(join(folder, 'answers'));
  const transfers = file('curl.conf', 20_000, (nth) =>
    [
      nth > 0 ? 'next' : '',
      `url = "${url}${path}"`,
      'header = "content-type: application/json"',
      `data = ${JSON.stringify(JSON.stringify(bodyOf(nth)))}`,
      `output = "${join(folder, 'answers', `${nth}`)}"`,
    ].join('\n'),
  );
  const curl = ['curl', '-sZ', '--no-progress-meter', '--parallel-max', atOnce, '-K', transfers];
  const times = await interleave(
    {
      curl: () => time(curl),
      openai: () => time([process.execPath, sdk, `${url}/v1`, '20000', atOnce]),
      undici: () => time([process.execPath, undici, url, small, join(folder, 'own.jsonl'), atOnce]),
      svc: () => time(batch(small), env),
    },
    rounds,
  );
  report('20,000 posts, 64 at once / curl -Z', times, 'svc', 'curl', '≤ 0.35, then 0.25');
  report('the same / the SDK of openai', times, 'svc', 'openai', '≤ 0.2');
  report('the same, journal and output / undici alone', times, 'svc', 'undici', 'CPU ≤ 1.35');
  const few = file('500.jsonl', 500, lineOf);
  const fewTimes = await interleave(
    {
      openai: () => time([process.execPath, sdk, `${url}/v1`, '500', atOnce]),
      svc: () => time(batch(few), env),
    },
    rounds,
  );
  report('500 posts / the SDK of openai', fewTimes, 'svc', 'openai', '');
  for (const count of [1000, 10_000, 100_000]) {
    const command = batch(file(`${count}.jsonl`, count, lineOf));
    await time(command, env);
    const { again } = await interleave({ again: () => time(command, env) }, rounds);
    const figure = `${median(again).toFixed(0)} ms`;
    reportFigure(`a finished batch of ${count} run again`, figure, '');
  }
  const { mb } = peakOf(batch(file('200000.jsonl', 200_000, lineOf)), env);
  reportFigure('  the most memory of 200,000', `${mb.toFixed(0)} MB`, '≤ 110 MB');
  server.kill();
  rmSync(folder, { recursive: true });
}
