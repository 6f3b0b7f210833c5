import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { fakeService } from '../helpers/fake-service.js';
import { gate } from '../helpers/gate.js';
import { start, startBash, talkative, type Running } from './svc.js';

/** From the signal to the end. */
const limitMs = 200;
/** The message to a user who interrupts an answer. */
const mayCost =
  'stopped after about 2 output tokens, which may have been charged: `svc usage list` shows it\n';
/** The figure is svc's; a machine that is busy elsewhere gets another chance. */
const retry = 3;

/** Sends the signal and holds svc to dying by it, soon and with no more words than these. */
async function dies({ child, ended }: Running, signal: NodeJS.Signals, stdout = '', stderr = '') {
  const sentAt = performance.now();
  child.kill(signal);
  const result = await ended;
  expect(performance.now() - sentAt).toBeLessThan(limitMs);
  expect(result).toEqual({ code: null, signal, stdout, stderr });
}

describe.each(['SIGINT', 'SIGTERM'] as const)('on %s svc dies by the signal itself', (signal) => {
  it('during a stream, keeping its text and closing the connection', { retry }, async () => {
    const { env, left } = await talkative();
    const running = await start(['chat', '-m', 'm', 'hi'], { env });
    running.child.stdin.end();
    await running.shows('begun');
    await dies(running, signal, 'begun\n', mayCost);
    await left;
  });

  it('while it waits for an answer', { retry }, async () => {
    const asked = gate();
    const service = await fakeService(() => asked.open());
    const running = await start(['balance'], { env: service.env });
    await asked.opened;
    await dies(running, signal);
  });

  it('while it waits for stdin', { retry }, async () => {
    const running = await start(['--local', 'chat', '-m', 'local/echo']);
    running.child.stdin.on('error', () => undefined);
    // More than a pipe holds: when it is through, svc is reading.
    running.child.stdin.write('x'.repeat(1_000_000));
    await once(running.child.stdin, 'drain');
    await dies(running, signal);
  });

  it('while it waits to try again', { retry }, async () => {
    const refused = gate();
    const service = await fakeService((_request, response) => {
      response.writeHead(429, { 'retry-after': '60' }).end(refused.open);
    });
    const running = await start(['balance', '-v'], { env: service.env });
    let reported = '';
    const waits = new Promise<void>((resolve) => {
      running.child.stderr.on('data', (piece: Buffer) => {
        reported += piece.toString();
        if (reported.includes('waiting')) resolve();
      });
    });
    await waits;
    const sentAt = performance.now();
    running.child.kill(signal);
    const result = await running.ended;
    expect(performance.now() - sentAt).toBeLessThan(limitMs);
    expect(result).toMatchObject({ code: null, signal, stdout: '' });
  });
});

describe.skipIf(process.platform === 'win32')('SIGHUP', () => {
  it('does not end svc that has no terminal, as under nohup', async () => {
    const next = gate();
    const { env } = await talkative(next.opened);
    const running = await start(['chat', '-m', 'm', 'hi'], { env });
    running.child.stdin.end();
    await running.shows('begun');
    for (const signal of ['SIGHUP', 'SIGHUP'] as const) running.child.kill(signal);
    next.open();
    expect(await running.ended).toMatchObject({ code: 0, stdout: 'begun done\n', stderr: '' });
  });
});

it('Ctrl-C stops a shell loop around svc too', async () => {
  const { env } = await talkative();
  const running = await startBash('for i in 1 2; do svc chat -m m hi; echo next; done', { env });
  await running.shows('begun');
  // As a terminal does it: every process of the group gets the signal.
  process.kill(-(running.child.pid ?? 0), 'SIGINT');
  expect(await running.ended).toEqual({
    code: null,
    signal: 'SIGINT',
    stdout: 'begun\n',
    stderr: mayCost,
  });
});
