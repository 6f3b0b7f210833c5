// How long, and in how much memory, svc reads what a batch of a million requests has written.
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { first, median, peakOf, reportFigure } from './measure.mjs';

const lines = 1_000_000;

/** @param svc the command */
export function benchResume(svc, rounds) {
  const scratch = mkdtempSync(join(tmpdir(), 'svc-resume-'));
  try {
    const output = join(scratch, 'answers.jsonl');
    write(output);
    const runs = Array.from({ length: rounds }, () => {
      const words = [...svc, 'batch', 'status', output];
      const { stdout, ...run } = peakOf(words, { SVC_CONFIG_DIR: scratch }, first);
      if (!stdout.includes(`\t${lines}\t0\t0\t0`)) throw new Error(stdout);
      return run;
    });
    const seconds = (median(runs.map(({ ms }) => ms)) / 1000).toFixed(2);
    const megabytes = Math.max(...runs.map(({ mb }) => mb)).toFixed(0);
    const figure = `${seconds} s, ${megabytes} MB`;
    reportFigure('1,000,000 answers of a batch are read', figure, '≤ 2 s, 110 MB');
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** 750 bytes each. */
function write(output) {
  const text = 'words of an answer '.repeat(22);
  const body = `{"id":"answer","model":"vendor/model","choices":[{"index":0,"message":{"role":"assistant","content":"${text}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":12,"completion_tokens":34}}`;
  const own =
    '{"cost":{"priceRub":0.0012},"ids":{"generationId":"gen_0123456789"},"attempts":1,"ms":12}';
  const hex = (nth) => nth.toString(16).padStart(16, '0');
  const line = (nth) =>
    `{"id":"batch_req_${hex(nth)}","custom_id":"line-${nth}","response":{"status_code":200,"request_id":null,"body":${body}},"error":null,"svc":${own}}\n`;
  mkdirSync(`${output}.svc`);
  const journal = join(`${output}.svc`, 'journal');
  writeFileSync(journal, `svc-batch 1 ${'0'.repeat(64)} 1\n@1 ${lines}\n`);
  for (let from = 0; from < lines; from += 1000) {
    const numbers = Array.from({ length: 1000 }, (_, nth) => from + nth);
    appendFileSync(output, numbers.map(line).join(''));
    appendFileSync(journal, numbers.map((nth) => `+${hex(nth)} "line-${nth}"\n`).join(''));
  }
}
