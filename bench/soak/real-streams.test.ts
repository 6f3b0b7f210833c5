import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { bundle, bundleEnv } from '../../test/helpers/bundle.js';
import { testFolder } from '../../test/helpers/folder.js';

const scripts = { FLOOD: '', SVC: '' };
beforeAll(async () => {
  [scripts.FLOOD, scripts.SVC] = await Promise.all([
    bundle('bench/soak/flood-process.ts'),
    bundle('bench/soak/svc-process.ts'),
  ]);
});

/** Runs a line of bash in which $FLOOD and $SVC are scripts for node and $OUT is a new file. */
async function bash(line: string) {
  const out = join(testFolder(), 'out');
  const child = spawn('bash', ['-c', `set -o pipefail; ${line}`], {
    env: { ...bundleEnv, ...scripts, OUT: out, SVC_CONFIG_DIR: testFolder() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (piece: Buffer) => stdout.push(piece));
  child.stderr.on('data', (piece: Buffer) => stderr.push(piece));
  await once(child, 'close');
  return {
    code: child.exitCode,
    stdout: Buffer.concat(stdout).toString(),
    stderr: Buffer.concat(stderr).toString(),
    written: () => readFileSync(out, 'utf8'),
  };
}

/** What the flood writes. */
function lines(kilobytes: number): string {
  return Array.from({ length: kilobytes }, (_, line) => `${String(line).padEnd(1023, '.')}\n`).join(
    '',
  );
}

test('10 MB through a pipe to a slow reader arrive whole', async () => {
  const child = spawn(process.execPath, [scripts.FLOOD, '10240'], {
    env: bundleEnv,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const got = createHash('sha256');
  for await (const piece of child.stdout) {
    got.update(Buffer.from(piece));
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(got.digest('hex')).toBe(createHash('sha256').update(lines(10_240)).digest('hex'));
});

test.each([1, 3, 100])('a disk that fills up within %i KiB is noticed', async (kilobytes) => {
  // The system takes the first part of the write that does not fit, and refuses the next.
  const { code, stderr, written } = await bash(
    `ulimit -f ${kilobytes}; node "$FLOOD" ${kilobytes + 1} > "$OUT"`,
  );
  expect(code).toBe(1);
  expect(stderr).toMatch(/^LocalFileError: cannot write to stdout: /);
  expect(written()).toBe(lines(kilobytes));
});

test.each(['2> /dev/full', '2>&-', '2> >(true)'])(
  'what becomes of stderr (%s) harms nothing',
  async (redirect) => {
    const { code, stdout } = await bash(`node "$FLOOD" 100 ${redirect}`);
    expect(code).toBe(0);
    expect(stdout).toBe(lines(100));
  },
);

test.each(['> /dev/full', '> "$OUT"'])('a script %s is trouble with a file', async (redirect) => {
  // It leaves in one write.
  const { code, stderr } = await bash(`ulimit -f 1; node "$SVC" completion bash ${redirect}`);
  expect(code).toBe(11);
  expect(stderr).toMatch(/^error: cannot write to stdout: .*\nhint: .*\n$/);
});
