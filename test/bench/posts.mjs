// How long `svc batch run` takes for 20,000 posts, 64 at once, beside `curl -Z` and the SDK of
// openai; and its most memory for 200,000.
import { fork, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment, interleave, report, time } from './measure.mjs';

const atOnce = '64';
const sdk = join(import.meta.dirname, 'posts-openai.mjs');

/** @param svc the command. */
export async function benchPosts(svc, rounds) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-posts-'));
  const server = fork(join(import.meta.dirname, 'server.mjs'), ['posts']);
  const port = await new Promise((resolve) => server.once('message', resolve));
  const url = `http://127.0.0.1:${port}`;
  const env = { SVC_BASE_URL: url, SVC_API_KEY: 'sk-svc-bench', SVC_CONFIG_DIR: folder };

  const messages = (nth) => [{ role: 'user', content: `Is lighthouse ${nth} lit?` }];
  const batch = (count) => {
    const input = join(folder, `${count}.jsonl`);
    const line = (_, nth) =>
      JSON.stringify({
        custom_id: `row-${nth}`,
        method: 'POST',
        url: '/v1/chat/completions',
        body: { model: 'vendor/model', messages: messages(nth) },
      });
    writeFileSync(input, `${Array.from({ length: count }, line).join('\n')}\n`);
    const output = join(folder, 'out.jsonl');
    const [node, script] = svc;
    return {
      command: [script, 'batch', 'run', input, '-o', output, '--concurrency', atOnce],
      node,
      clear: () => ['', '.sent'].forEach((end) => rmSync(output + end, { force: true })),
    };
  };
  const small = batch(20_000);
  // Each answer in a file of its own: on stdout they would be mixed.
  mkdirSync(join(folder, 'answers'));
  const transfer = (_, nth) => [
    `url = "${url}/v1/chat/completions"`,
    'header = "content-type: application/json"',
    `data = ${JSON.stringify(JSON.stringify({ model: 'vendor/model', messages: messages(nth) }))}`,
    `output = "${join(folder, 'answers', `${nth}`)}"`,
  ];
  const config = join(folder, 'curl.conf');
  const transfers = Array.from({ length: 20_000 }, transfer);
  writeFileSync(config, transfers.map((lines) => lines.join('\n')).join('\nnext\n'));
  const curl = ['curl', '-sZ', '--no-progress-meter', '--parallel-max', atOnce, '-K', config];
  const times = await interleave(
    {
      curl: () => time(curl),
      openai: () => time([process.execPath, sdk, `${url}/v1`, '20000', atOnce]),
      svc: () => {
        small.clear();
        return time([small.node, ...small.command], env);
      },
    },
    rounds,
  );
  report('20,000 posts, 64 at once / curl -Z', times, 'svc', 'curl', '≤ 0.35, then 0.25');
  report('the same / the SDK of openai', times, 'svc', 'openai', '≤ 0.2');

  const large = batch(200_000);
  large.clear();
  const peak = join(import.meta.dirname, 'peak.cjs');
  const { stderr } = spawnSync(large.node, ['--require', peak, ...large.command], {
    env: { ...environment, ...env },
    encoding: 'utf8',
  });
  const mb = (Number(/peak: (\d+)/.exec(stderr)?.[1]) * 1024) / 1e6;
  const work = '  the most memory of 200,000';
  console.log(`${work.padEnd(44)} ${mb.toFixed(0)} MB`.padEnd(80) + '≤ 110 MB'.padStart(19));
  server.kill();
  rmSync(folder, { recursive: true });
}
