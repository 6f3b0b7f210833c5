import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.js';
import { runProgram, type Program } from '../../src/tools/process.js';
import { testFolder } from '../helpers/folder.js';
import { endOfSvc, gone, isAlive } from '../helpers/left-behind.js';
import { ManualClock } from '../helpers/manual-clock.js';

const never = new AbortController().signal;
const usual = {
  stdin: '',
  env: { PATH: process.env['PATH'] },
  clock: systemClock,
  timeoutMs: 600_000,
  maxOutputBytes: 100,
};
const sh = (script: string, more: Partial<Program> = {}, signal = never) =>
  runProgram({ command: 'sh', args: ['-c', script], ...usual, ...more }, signal);

/** Ids of a process and its child, which both hang, once both run. */
async function hanging(more: Partial<Program>, signal = never) {
  const file = join(testFolder(), 'pids');
  const script = `sleep 600 & echo $$ $! > ${file}.new; mv ${file}.new ${file}; wait`;
  const result = sh(script, more, signal);
  result.catch(() => undefined);
  await expect.poll(() => existsSync(file), { timeout: 10_000, interval: 5 }).toBe(true);
  const pids = readFileSync(file, 'latin1').trim().split(' ');
  expect(pids.map(isAlive)).toEqual([true, true]);
  return { pids, result };
}

describe('the output of a tool', () => {
  it.each([
    ['is what it writes to both streams', 'echo a; echo b >&2', 'a\nb', false],
    ['has its exit code if it failed', 'echo no; exit 3', 'no\n[exit code 3]', true],
    ['has the signal that ended it', 'kill -9 $$', '[no output]\n[it was ended by SIGKILL]', true],
    ['says that there is none', ':', '[no output]', false],
    ['is UTF-8', "printf 'a\\377b'", 'a\ufffdb', false],
    ['is what it makes of its input', 'tr a-z A-Z', 'HELLO', false],
    ['needs no reader of its input', 'exec 0<&-; echo ok', 'ok', false],
  ])('%s', async (_, script, text, isError) => {
    const stdin = script.startsWith('tr') ? 'hello' : 'x'.repeat(1_000_000);
    expect(await sh(script, { stdin })).toEqual({ text, isError });
  });

  it('is cut at its limit, between two characters, and says so', async () => {
    const { text, isError } = await sh("printf 'é%.0s' $(seq 100)", { maxOutputBytes: 9 });
    expect(text).toBe('éééé\n[191 more bytes of output were dropped]');
    expect(isError).toBe(false);
  });

  it('is never held in memory beyond its limit', async () => {
    const before = process.memoryUsage().arrayBuffers;
    let peak = 0;
    const timer = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().arrayBuffers - before);
    }, 5);
    const { text } = await sh('head -c 500000000 /dev/zero');
    clearInterval(timer);
    expect(text).toMatch(/\[499999900 more bytes of output were dropped]$/);
    expect(peak).toBeLessThan(250_000_000);
  });

  it.each(['', '.', 'bin:', '.:PATH'])('is never that of a program beside it: %j', async (path) => {
    const folder = testFolder();
    mkdirSync(join(folder, 'bin'));
    for (const file of ['prog', 'bin/prog']) {
      writeFileSync(join(folder, file), '#!/bin/sh\necho beside\n', { mode: 0o755 });
    }
    const before = process.cwd();
    process.chdir(folder);
    try {
      const PATH = path.replace('PATH', String(usual.env.PATH));
      const { text } = await sh('', { command: 'prog', env: { PATH } });
      expect(text).toContain('[it could not be run: there is no such file or folder]');
      expect(await sh('', { command: 'prog', env: { PATH: folder } })).toMatchObject({
        text: 'beside',
      });
    } finally {
      process.chdir(before);
    }
  });

  it.each([
    ['no-such-program', [], 'there is no such file or folder'],
    ['echo', ['\0'], 'an argument contains a NUL'],
    ['echo', ['x'.repeat(4_000_000)], 'its arguments or variables are too long'],
  ])('says why it could not be run: %s', async (command, args, why) => {
    const text = `[no output]\n[it could not be run: ${why}]`;
    expect(await sh('', { command, args })).toEqual({ text, isError: true });
  });
});

describe('no process stays behind', () => {
  it('after the time limit', async () => {
    const clock = new ManualClock();
    const { pids, result } = await hanging({ clock, timeoutMs: 30_000 });
    clock.pass(30_000);
    const text = '[no output]\n[it was stopped after 30 s]';
    expect(await result).toEqual({ text, isError: true });
    await Promise.all(pids.map(gone));
  });

  it('after svc is stopped', async () => {
    const clock = new ManualClock();
    const stopped = new AbortController();
    const { pids, result } = await hanging({ clock }, stopped.signal);
    stopped.abort(new Error('stopped'));
    await expect(result).rejects.toThrow('stopped');
    await Promise.all(pids.map(gone));
    expect(clock.sleeping).toBe(0);
  });

  it('when it has ended itself', async () => {
    const { text } = await sh('sleep 600 & echo $!');
    await gone(text);
    expect(text).toMatch(/^\d+$/);
  });

  it('after svc has ended', async () => {
    const svc = endOfSvc();
    const { pids, result } = await hanging({});
    svc.end();
    expect(await result).toMatchObject({ isError: true });
    await Promise.all(pids.map(gone));
    expect(svc.added()).toEqual([]);
  });
});
