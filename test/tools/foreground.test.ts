/** Programs in place of svc; test/bin/run.test.ts has what needs a process of svc. */
import { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import type { Signals } from '../../src/lib/signals.js';
import { runForeground } from '../../src/tools/foreground.js';
import { testFolder } from '../helpers/folder.js';
import { ManualClock } from '../helpers/manual-clock.js';

/** Runs a script of node, which says that it has begun by a file. */
function running(script: string, clock = new ManualClock()) {
  const folder = testFolder();
  const begun = once(watch(folder), 'change');
  const file = join(folder, 'begun');
  const code = `${script}; require('fs').writeFileSync(${JSON.stringify(file)}, ''); setInterval(() => {}, 1e6)`;
  const signals: Signals = {};
  const stop = new AbortController();
  const program = { command: process.execPath, args: ['-e', code], env: process.env, hint: '' };
  const ended = runForeground(program, { signals, clock, stop: stop.signal });
  return {
    begun: readdirSync(folder).length > 0 ? Promise.resolve() : begun,
    clock,
    ended,
    signals,
    stop,
  };
}

it('gets each signal of svc while it runs', async () => {
  const { begun, ended, signals } = running("process.on('SIGHUP', () => process.exit(7))");
  await begun;
  signals.passOn?.('SIGHUP');
  expect(await ended).toBe(7);
  expect(signals.passOn).toBeUndefined();
});

it('ends with 128 and more for the signal that ends it', async () => {
  const { begun, ended, signals } = running('');
  await begun;
  signals.passOn?.('SIGTERM');
  expect(await ended).toBe(143);
});

it('is stopped with SIGTERM, and is killed where it goes on', async () => {
  const polite = running("process.on('SIGTERM', () => process.exit(3))");
  await polite.begun;
  polite.stop.abort();
  expect(await polite.ended).toBe(3);
  const stubborn = running("process.on('SIGTERM', () => {})");
  await stubborn.begun;
  stubborn.stop.abort();
  stubborn.clock.pass(5000);
  expect(await stubborn.ended).toBe(137);
});

it('is not left waiting where it was stopped before it began', async () => {
  const { ended, stop } = running('');
  stop.abort();
  expect(await ended).toBe(143);
});

it('is awaited where svc may not send it signals', async () => {
  const { begun, ended, signals, stop } = running('');
  await begun;
  const refused = vi.spyOn(ChildProcess.prototype, 'kill').mockImplementation(function (
    this: ChildProcess,
  ) {
    this.emit('error', Object.assign(new Error('kill EPERM'), { code: 'EPERM', syscall: 'kill' }));
    return false;
  });
  signals.passOn?.('SIGTERM');
  signals.passOn?.('SIGTERM');
  refused.mockRestore();
  stop.abort();
  expect(await ended).toBe(143);
});
