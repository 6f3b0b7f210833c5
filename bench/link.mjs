// A call over https at the end of a link of 40 ms there and back, beside a bare `https.get` of it.
import { fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { interleave, median, report, reportFigure, time } from './measure.mjs';

export async function benchLink(svc, scratch, rounds) {
  const server = fork(join(import.meta.dirname, 'link-server.mjs'));
  const port = await new Promise((resolve) => server.once('message', resolve));
  const url = `https://127.0.0.1:${port}`;
  const bare = join(scratch, 'get.cjs');
  const get = `require('node:https').get('${url}/v1/balance', (r) => r.pipe(process.stdout));`;
  writeFileSync(bare, get);
  // Reading it takes 37 ms, of both.
  const ca = join(import.meta.dirname, '../test/http/fixtures/ca.pem');
  const env = { NODE_EXTRA_CA_CERTS: ca, SVC_CONFIG_DIR: scratch };
  const service = { ...env, SVC_BASE_URL: url, SVC_API_KEY: 'sk-svc-bench' };
  const times = await interleave(
    {
      bare: () => time([process.execPath, bare], env),
      svc: () => time([...svc, 'balance', '--json'], service),
    },
    rounds,
  );
  server.kill();
  report('svc balance, TLS over 40 ms / bare https.get', times, 'svc', 'bare', '');
  const minima = Math.min(...times.svc) - Math.min(...times.bare);
  const paired = median(times.svc.map((ms, round) => ms - times.bare[round]));
  const figure = `+${minima.toFixed(1)} ms of minima, +${paired.toFixed(1)} ms paired`;
  reportFigure('the same, beyond the bare call', figure, '≤ 10 ms');
}
