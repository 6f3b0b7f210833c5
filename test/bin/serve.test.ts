import { createConnection } from 'node:net';
import { describe, expect, it } from 'vitest';
import { run } from '../helpers/run.js';
import { start, svc, type Running } from './svc.js';

const key = 'sk-svc-local';

/** A running `svc serve` and its address. */
async function serving(): Promise<{ running: Running; url: string; port: string }> {
  const running = await start(['serve', '--port', '0']);
  await running.shows('\n');
  const url = running.stdout().toString().trim();
  return { running, url, port: new URL(url).port };
}

const balance = (url: string) =>
  run('balance --timeout 5s', { env: { SVC_BASE_URL: url, SVC_API_KEY: key } });

describe('svc serve as a process', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('serves until %s, and frees its port', async (signal) => {
    const { running, url, port } = await serving();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await balance(url)).toMatchObject({ code: 0, stdout: '1000.00 RUB\n' });
    const sentAt = performance.now();
    running.child.kill(signal);
    expect(await running.ended).toMatchObject({ code: null, signal, stdout: `${url}\n` });
    expect(performance.now() - sentAt).toBeLessThan(1000);
    expect(await balance(url)).toMatchObject({ code: 6 });
    const next = await start(['serve', '--port', port]);
    await next.shows(`${url}\n`);
    next.child.kill(signal);
    await next.ended;
  });

  it('ends at once although a caller holds a connection or reads an answer', async () => {
    const { running, url } = await serving();
    const idle = createConnection(Number(new URL(url).port), '127.0.0.1');
    idle.on('error', () => undefined);
    await new Promise((resolve) => idle.once('connect', resolve));
    running.child.kill('SIGTERM');
    expect(await running.ended).toMatchObject({ signal: 'SIGTERM' });
    idle.destroy();
  });

  it('says in one sentence that a port is taken, exit 2', async () => {
    const { running, port } = await serving();
    const stderr = `error: port ${port} is taken\nhint: choose another port; --port 0 picks a free one\n`;
    const second = await svc(['serve', '--port', port]);
    expect(second).toEqual({ code: 2, signal: null, stdout: '', stderr });
    running.child.kill('SIGTERM');
    await running.ended;
  });

  it('keeps serving when the reader of stdout is gone', async () => {
    const { running, url } = await serving();
    running.child.stdout.destroy();
    expect(await balance(url)).toMatchObject({ code: 0 });
    running.child.kill('SIGINT');
    expect(await running.ended).toMatchObject({ signal: 'SIGINT' });
  });
});
