import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { chunks, fakeService } from '../helpers/fake-service.js';
import { gate } from '../helpers/gate.js';
import { bash, start } from './svc.js';

/** A service that talks until its caller hangs up, which opens `left`. */
async function talker() {
  const left = gate();
  const service = await fakeService((_request, response) => {
    response.on('close', left.open);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const talk = () => {
      if (response.destroyed) return;
      if (response.write(chunks('0123456789abcdef\n'.repeat(64)))) setImmediate(talk);
      else response.once('drain', talk);
    };
    talk();
  });
  return { env: service.env, left: left.opened };
}

describe('a reader of stdout that goes away', () => {
  it('ends svc silently with 141, and no more of the answer is requested', async () => {
    const { env, left } = await talker();
    const line = 'svc chat -m m hi | head -c 10; echo " ${PIPESTATUS[0]}"';
    expect(await bash(line, { env })).toMatchObject({ stdout: '0123456789 141\n', stderr: '' });
    await left;
  });

  it('does the same for events, an object, raw bytes or help', async () => {
    for (const words of [
      'chat -m m --events hi',
      'api POST /v1/responses',
      '--local models list --json',
      '--help',
      'chat --help',
      '--version',
    ]) {
      const { env } = await talker();
      // The reader is gone before svc writes its first byte.
      const line = `exec 3> >(exec true); wait $!; svc ${words} >&3; echo $?`;
      expect(await bash(line, { env }), words).toMatchObject({ stdout: '141\n', stderr: '' });
    }
  });
});

describe('a stdout that accepts nothing', () => {
  it('on a full device is a local error: exit 11, one sentence', async () => {
    const { env, left } = await talker();
    for (const words of [
      'chat -m m hi',
      '--local models list',
      '--version',
      '--help',
      'help chat',
    ]) {
      const result = await bash(`svc ${words} > /dev/full; echo $?`, { env });
      expect(result.stdout, words).toBe('11\n');
      expect(result.stderr).toMatch(
        /^error: cannot write to stdout: no space left\nhint: [^\n]+\n$/,
      );
    }
    // The connection is closed at once, not after the whole answer.
    await left;
  });

  it('keeps each answer of a batch once in its file', async () => {
    const line = 'svc --local batch run - -m local/echo -o out.jsonl --text > /dev/full; echo $?';
    const { stdout } = await bash(
      `printf 'a\\nb\\nc\\n' | ${line}; cut -d '"' -f 8 out.jsonl | sort`,
    );
    expect(stdout).toBe('11\nline-1\nline-2\nline-3\n');
  });

  it('on a disk that fills up is noticed even by --version and --help', async () => {
    // The help is larger than one block of this size, the version fits.
    const result = await bash('ulimit -f 1; svc --help > out; echo $?; svc --version; echo $?');
    expect(result.stdout).toMatch(/^11\n\d+\.\d+\.\d+\n0\n$/);
    expect(result.stderr).toMatch(/^error: cannot write to stdout: [^\n]+\nhint: [^\n]+\n$/);
  });

  it('is not a bug where stdout is closed', async () => {
    for (const words of ['--local chat -m echo hi', '--version', '--help', '--local balance']) {
      const result = await bash(`svc ${words} >&-; echo $?`);
      expect(result.stdout, words).toMatch(/^(0|11)\n$/);
      expect(result.stderr).not.toContain('bug');
      expect(result.stderr).not.toMatch(/^ +at /m);
    }
  });
});

it('a stderr or stdin that is closed or full harms nothing', async () => {
  for (const redirect of ['2>&-', '2>/dev/full', '<&-', '</dev/null', '2>&- <&-']) {
    const result = await bash(
      `svc --local chat -m echo --reasoning-effort low hi ${redirect}; echo "$?"`,
    );
    expect(result.stdout, redirect).toBe('hi\n0\n');
  }
});

it('a slow reader gets 10 MB of echo without losing a byte', { timeout: 60_000 }, async () => {
  const text = Buffer.from(`${'ä'.repeat(499)}\n`.repeat(10_500));
  expect(text.length).toBeGreaterThan(10_000_000);
  const running = await start(['--local', 'chat', '-m', 'local/echo']);
  const { stdout, stdin } = running.child;
  stdin.end(text);
  const got = createHash('sha256');
  stdout.removeAllListeners('data');
  let pieces = 0;
  for await (const piece of stdout) {
    got.update(Buffer.from(piece));
    pieces += 1;
    // It falls asleep over and over, and the system's pipe is full meanwhile.
    if (pieces % 20 === 0) await sleep(10);
  }
  expect(await running.ended).toMatchObject({ code: 0, stderr: '' });
  expect(got.digest('hex')).toBe(createHash('sha256').update(text).digest('hex'));
});
