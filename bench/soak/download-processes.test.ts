/** Downloads in processes of their own: killed, several at once, over TLS, on a full disk. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import https from 'node:https';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { bundle, bundleEnv } from '../../test/helpers/bundle.js';
import { testFolder } from '../../test/helpers/folder.js';
import { authorityFile, cert, key } from '../../test/http/certificate.js';
import { listening } from '../../test/http/rig.js';
import {
  content,
  digest,
  digestOf,
  goodReply,
  host,
  type Ask,
  type Reply,
} from '../../test/http/download/host.js';

let script = '';

beforeAll(async () => {
  script = await bundle('bench/soak/download-process.ts');
});

afterAll(() => {
  rmSync(dirname(script), { recursive: true });
});

const Report = z.object({
  path: z.optional(z.string()),
  resumed: z.optional(z.boolean()),
  mostKiB: z.optional(z.number()),
  name: z.optional(z.string()),
  message: z.optional(z.string()),
  hint: z.optional(z.string()),
});

type To = { file: string } | { folder: string; name: string };

/** @param shell a line of sh that starts what it is given. */
function start(url: URL, to: To, shell = 'exec "$0" "$@"') {
  const args = ['-c', shell, process.execPath, script, url.href, JSON.stringify(to)];
  const child = spawn('bash', args, {
    env: { ...bundleEnv, NODE_EXTRA_CA_CERTS: authorityFile },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (piece: Buffer) => {
    text += piece.toString();
  });
  const closed = once(child, 'close');
  return {
    child,
    closed,
    /** Resolves when the first bytes have come, or it is over. */
    begun: Promise.race([once(child.stdout, 'data'), closed]),
    /** What came of it. */
    reports: async () => {
      await closed;
      return Report.parse(JSON.parse(text.trim().split('\n').at(-1) ?? ''));
    },
  };
}

/** A good reply that takes its time. */
function slowly(file: Buffer, ask: Ask, pieceBytes: number, betweenMs: number): Reply {
  const reply = goodReply(file, ask);
  const rest = file.subarray(reply.status === undefined ? 0 : ask.from);
  const pieces = Array.from({ length: Math.ceil(rest.length / pieceBytes) }, (_, index) =>
    rest.subarray(index * pieceBytes, (index + 1) * pieceBytes),
  );
  const pace = () => new Promise((resolve) => setTimeout(resolve, betweenMs));
  return { ...reply, body: pieces, pace };
}

const file = content(16 * 1024 * 1024);
const whole = digest(file);

it('resumes after kill -9 at any moment, with the same result', { timeout: 60_000 }, async () => {
  const { url, asks } = await host((ask) => slowly(file, ask, 150_000, 4));
  const folder = testFolder();
  const to = { folder, name: 'video' };
  const kills = 8;
  for (let round = 0; round < kills; round += 1) {
    const { begun, child, closed } = start(url, to);
    await begun;
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
    // The last kill leaves something to go on with: what comes goes to the disk in blocks.
    if (round === kills - 1) {
      await expect.poll(() => statSync(join(folder, 'video.part')).size).toBeGreaterThan(0);
    }
    expect(child.kill('SIGKILL')).toBe(true);
    await closed;
    // Nothing has the name that is not whole, and there is one part file, whatever the moment.
    expect(readdirSync(folder).sort()).toEqual(['video.part', 'video.part.json']);
  }
  expect(await start(url, to).reports()).toMatchObject({
    path: join(folder, 'video.bin'),
    resumed: true,
  });
  expect(digestOf(join(folder, 'video.bin'))).toBe(whole);
  expect(readdirSync(folder)).toEqual(['video.bin']);
  const from = asks.map((ask) => ask.from ?? 0);
  expect(from).toEqual([...from].sort((one, other) => one - other));
  expect(from.at(-1)).toBeGreaterThan(kills * 100_000);
});

describe('several processes at once', () => {
  it('make as many whole files of one derived name', { timeout: 60_000 }, async () => {
    const { url } = await host((ask) => slowly(file, ask, 2_000_000, 10));
    const folder = testFolder();
    const all = Array.from({ length: 3 }, () => start(url, { folder, name: 'video' }));
    const reports = await Promise.all(all.map((one) => one.reports()));
    const names = ['video-2.bin', 'video-3.bin', 'video.bin'];
    expect(reports.map(({ path = '' }) => path.slice(folder.length + 1)).sort()).toEqual(names);
    expect(readdirSync(folder).sort()).toEqual(names);
    for (const name of names) expect(digestOf(join(folder, name))).toBe(whole);
  });

  it('give a name that was asked for to one of them', { timeout: 60_000 }, async () => {
    const { url } = await host((ask) => slowly(file, ask, 2_000_000, 10));
    const path = join(testFolder(), 'video.mp4');
    const all = [start(url, { file: path }), start(url, { file: path })];
    const reports = await Promise.all(all.map((one) => one.reports()));
    expect(reports.map(({ name }) => name ?? 'whole').sort()).toEqual(['LocalFileError', 'whole']);
    expect(digestOf(path)).toBe(whole);
  });

  it('divide what a killed one left', { timeout: 60_000 }, async () => {
    const { url } = await host((ask) => slowly(file, ask, 1_000_000, 10));
    const folder = testFolder();
    const to = { folder, name: 'video' };
    const first = start(url, to);
    await first.begun;
    await new Promise((resolve) => setTimeout(resolve, 50));
    first.child.kill('SIGKILL');
    await first.closed;
    const told = await Promise.all(Array.from({ length: 3 }, () => start(url, to).reports()));
    expect(told.filter(({ resumed }) => resumed)).toHaveLength(1);
    const names = ['video-2.bin', 'video-3.bin', 'video.bin'];
    expect(readdirSync(folder).sort()).toEqual(names);
    for (const name of names) expect(digestOf(join(folder, name))).toBe(whole);
  });
});

describe('over TLS', () => {
  /** A service that breaks off its first answers. */
  async function secure(breaks: number) {
    const ranges: (string | undefined)[] = [];
    const server = https.createServer({ cert, key }, (request, response) => {
      const { range } = request.headers;
      ranges.push(range);
      const from = Number(/\d+/.exec(range ?? '0')?.[0]);
      const { status = '200', headers = {} } = goodReply(file, {
        from: range === undefined ? undefined : from,
        headers: { 'if-range': String(request.headers['if-range']) },
      });
      response.writeHead(Number(status.slice(0, 3)), headers);
      if (ranges.length > breaks) response.end(file.subarray(from));
      else response.write(file.subarray(from, from + 5_000_000), () => response.destroy());
    });
    const { port } = await listening(server);
    return { port, ranges };
  }

  it.each(['localhost', '127.0.0.1'])('a file of %s comes whole', async (name) => {
    const { port, ranges } = await secure(2);
    const path = join(testFolder(), 'a.mp4');
    const url = new URL(`https://${name}:${port}/x`);
    expect(await start(url, { file: path }).reports()).toMatchObject({ path, resumed: false });
    expect(digestOf(path)).toBe(whole);
    expect(ranges).toHaveLength(3);
    expect(ranges[2]).toMatch(/^bytes=\d{6,}-$/);
  });
});

it.runIf(process.platform === 'linux')(
  'takes no more memory for a large file',
  { timeout: 60_000 },
  async () => {
    const count = 400;
    const block = content(1024 * 1024);
    const blocks = Array.from({ length: count }, () => block);
    const { url } = await host(() => ({
      headers: { 'content-length': count * block.length },
      body: blocks,
    }));
    const path = join(testFolder(), 'a.bin');
    const { mostKiB } = await start(url, { file: path }).reports();
    expect(statSync(path).size).toBe(count * block.length);
    expect(mostKiB).toBeLessThan(100 * 1024);
  },
);

it('keeps what came before the system accepts no more, and says so', async () => {
  const { url } = await host((ask) => goodReply(file, ask));
  const folder = testFolder();
  // Whatever is written past 4 MiB fails, as on a disk that fills up.
  const limited = `trap '' XFSZ; ulimit -f 4096; exec "$0" "$@"`;
  const { reports } = start(url, { folder, name: 'a' }, limited);
  expect(await reports()).toMatchObject({
    name: 'LocalFileError',
    message: `cannot write ${join(folder, 'a.part')}: the file would exceed the size limit`,
  });
  const kept = readFileSync(join(folder, 'a.part'));
  expect(kept).toHaveLength(4 * 1024 * 1024);
  expect(kept.equals(file.subarray(0, kept.length))).toBe(true);
  expect(await start(url, { folder, name: 'a' }).reports()).toMatchObject({ resumed: true });
  expect(digestOf(join(folder, 'a.bin'))).toBe(whole);
});
