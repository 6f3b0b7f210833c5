import { expect, it } from 'vitest';
import { fakeService } from '../helpers/fake-service.js';
import { mayReach, post, type Post } from '../../src/service/outbound.js';
import { receiver } from './receiver.js';

function sending(url: string, options: Partial<Post> = {}): Promise<number> {
  const signal = new AbortController().signal;
  const what = { headers: { 'content-type': 'text/plain' }, body: 'héllo', loopback: true };
  return post({ url: new URL(url), ...what, timeoutMs: 10_000, signal, ...options });
}

it('post sends the body whole and gives the status of the answer', async () => {
  const hook = await receiver();
  hook.answers.push(204);
  expect(await sending(hook.url)).toBe(204);
  expect(hook.received).toMatchObject([
    { body: 'héllo', headers: { 'content-type': 'text/plain', 'content-length': '6' } },
  ]);
});

it.each(['127.0.0.1', 'localhost'])(
  'post does not reach %s by name or number when it may not',
  async (host) => {
    const hook = await receiver();
    const { port } = new URL(hook.url);
    const attempt = sending(`http://${host}:${port}/`, { loopback: false });
    await expect(attempt).rejects.toThrow('the address is not public');
    expect(hook.received).toEqual([]);
  },
);

it('post gives up on a silent receiver', async () => {
  const { origin } = await fakeService(() => undefined);
  const attempt = sending(origin, { timeoutMs: 50 });
  await expect(attempt).rejects.toThrow('no answer in 0.05 s');
});

const open = ['93.184.215.14', '8.8.8.8', '2606:4700:4700::1111', '172.32.0.1', '100.128.0.1'];
const here = ['127.0.0.1', '127.9.9.9', '::1'];
const closed = [
  ...['0.0.0.0', '10.0.0.1', '100.64.0.1', '169.254.169.254', '172.16.0.1', '172.31.255.255'],
  ...['192.168.1.1', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
  ...['::', 'fe80::1', 'fd00::1', 'ff02::1', '2001:db8::1', '64:ff9b::7f00:1', '2002:7f00:1::'],
  ...['::ffff:10.0.0.1', '::ffff:192.168.0.1', 'localhost', 'example.com', '', '127.1'],
];

it.each([
  ...open.map((ip) => [ip, true, true] as const),
  ...here.map((ip) => [ip, false, true] as const),
  ...closed.map((ip) => [ip, false, false] as const),
  ['::ffff:127.0.0.1', false, undefined] as const,
])('mayReach of %j is %s, and %s when this machine may be', (ip, away, loopback) => {
  expect(mayReach(ip, false)).toBe(away);
  if (loopback !== undefined) expect(mayReach(ip, true)).toBe(loopback);
});
