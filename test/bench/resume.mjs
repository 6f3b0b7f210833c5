// How long, and in how much memory, svc reads what a batch of a million requests has written.
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment, first, median } from './measure.mjs';

const lines = 1_000_000;

/** @param svc the command */
export function benchResume(svc, rounds) {
  const scratch = mkdtempSync(join(tmpdir(), 'svc-resume-'));
  try {
    const output = join(scratch, 'answers.jsonl');
    write(output);
    const peak = join(import.meta.dirname, 'peak.cjs');
    const [command, ...words] = [
      ...first,
      svc[0],
      '--require',
      peak,
      svc[1],
      'batch',
      'status',
      output,
    ];
    const runs = Array.from({ length: rounds }, () => {
      const start = performance.now();
      const { stderr, stdout } = spawnSync(command, words, {
        env: { ...environment, SVC_CONFIG_DIR: scratch },
        encoding: 'utf8',
      });
      if (!stdout.includes(`\t${lines}\t0\t0\t0`)) throw new Error(stdout + stderr);
      return {
        ms: performance.now() - start,
        megabytes: Number(/peak: (\d+)/.exec(stderr)[1]) / 1000,
      };
    });
    const seconds = (median(runs.map(({ ms }) => ms)) / 1000).toFixed(2);
    const megabytes = Math.max(...runs.map(({ megabytes }) => megabytes)).toFixed(0);
    const work = '1,000,000 answers of a batch are read';
    console.log(
      `${work.padEnd(44)} ${seconds} s, ${megabytes} MB`.padEnd(80) + '≤ 2 s, 110 MB'.padStart(19),
    );
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** 750 bytes each. */
function write(output) {
  const [answers, journal] = [openSync(output, 'w'), openSync(`${output}.sent`, 'w')];
  writeSync(journal, `svc-batch 1 ${'0'.repeat(64)} 1\n@1 ${lines}\n`);
  const text = 'words of an answer '.repeat(22);
  for (let from = 0; from < lines; from += 1000) {
    const numbers = Array.from({ length: 1000 }, (_, nth) => from + nth);
    const hex = (nth) => nth.toString(16).padStart(16, '0');
    const body = `{"id":"answer","model":"vendor/model","choices":[{"index":0,"message":{"role":"assistant","content":"${text}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":12,"completion_tokens":34}}`;
    const own = '{"cost_rub":0.0012,"generation_id":"gen_0123456789","attempts":1,"ms":12}';
    const line = (nth) =>
      `{"id":"batch_req_${hex(nth)}","custom_id":"line-${nth}","response":{"status_code":200,"request_id":null,"body":${body}},"error":null,"svc":${own}}\n`;
    writeSync(answers, numbers.map(line).join(''));
    writeSync(journal, numbers.map((nth) => `+${hex(nth)} "line-${nth}"\n`).join(''));
  }
  closeSync(answers);
  closeSync(journal);
}
