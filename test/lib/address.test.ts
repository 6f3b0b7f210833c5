import { expect, it } from 'vitest';
import { isLoopback } from '../../src/lib/address.js';

const own = 'localhost LOCALHOST localhost. 127.0.0.1 127.1 0x7f.1 [::1] [0:0::1]';
const others =
  '127.0.0.1.evil.test localhost.evil.test evil.localhost 128.0.0.1 10.0.0.1 [::2] [::ffff:8.8.8.8] 0.0.0.0';

it.each([
  ['stays on this machine, however it is written', own, true],
  ['may leave it', others, false],
])('knows what %s', (_, hosts, isOwn) => {
  for (const host of hosts.split(' ')) {
    expect(isLoopback(new URL(`http://${host}:80/`).hostname), host).toBe(isOwn);
  }
});
