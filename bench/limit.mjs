// `svc batch run` against a service of 400 requests a second, alone and as four processes.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportFigure, time } from './measure.mjs';

/** Two minutes: what a run learns at first is a part of it. */
const requests = 48_000;

/** @param svc the command. */
export async function benchLimit(svc) {
  for (const [kind, seconds] of [
    ['bucket', ''],
    ['window', '1'],
  ]) {
    const home = mkdtempSync(join(tmpdir(), 'svc-limit-'));
    for (const processes of [1, 4]) {
      const env = { LIMIT: kind, RETRY_AFTER: seconds };
      const server = fork(join(import.meta.dirname, 'limit-server.mjs'), { env });
      const [port] = await once(server, 'message');
      const runs = Array.from({ length: processes }, async (_, nth) => {
        const input = join(home, `in-${processes}-${nth}.jsonl`);
        const line = (id) => `{"custom_id":"${id}","prompt":"hi"}\n`;
        writeFileSync(
          input,
          Array.from({ length: requests / processes }, (_, id) => line(id)).join(''),
        );
        const run = ['batch', 'run', input, '-m', 'm', '-o', `${input}.out`, '--progress', 'none'];
        await time([...svc, ...run, '-q'], {
          SVC_BASE_URL: `http://127.0.0.1:${port}`,
          SVC_API_KEY: 'sk-svc-bench',
          SVC_CONFIG_DIR: home,
        });
      });
      // What one that has ended leaves to the others is not counted.
      await Promise.race(runs);
      server.send('counts');
      const [{ accepted, refused, firstMs, lastMs }] = await once(server, 'message');
      await Promise.all(runs);
      server.kill();
      const share = (accepted / (400 * (lastMs - firstMs))) * 100_000;
      const over = (refused / (accepted + refused)) * 100;
      const work = `${processes} × batch, ${kind}${seconds && ', Retry-After'}`;
      const figure = `${share.toFixed(1)} % of 400/s, refused ${over.toFixed(2)} %`;
      reportFigure(work, figure, '≥ 92 %, ≤ 1 %');
    }
    rmSync(home, { recursive: true });
  }
}
