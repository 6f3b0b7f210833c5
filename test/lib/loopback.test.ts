import { expect, it } from 'vitest';
import { isLoopback } from '../../src/lib/loopback.js';

const hostOf = (address: string) => new URL(address).hostname;

it('takes what stays on this machine for loopback, however it is written', () => {
  for (const host of [
    'localhost',
    'LOCALHOST',
    'localhost.',
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '[::1]',
    '[0:0::1]',
  ]) {
    expect(isLoopback(hostOf(`http://${host}:80/`)), host).toBe(true);
  }
});

it('takes nothing else for it', () => {
  for (const host of [
    '127.0.0.1.evil.test',
    'localhost.evil.test',
    'evil.localhost',
    '128.0.0.1',
    '10.0.0.1',
    '[::2]',
    '[::ffff:8.8.8.8]',
    '0.0.0.0',
  ]) {
    expect(isLoopback(hostOf(`http://${host}/`)), host).toBe(false);
  }
});
