/** What many connections at once do to a process that may have few descriptors. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { keys } from '../helpers.js';
import { serving } from './serving.js';

const schema = {
  type: 'object',
  properties: { code: { type: 'string', pattern: '^[a-z]{3}-[0-9]+$' } },
  required: ['code'],
};
const body = JSON.stringify({
  model: 'local/echo',
  messages: [{ role: 'user', content: 'hello' }],
  response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
});
const request = (host: string) =>
  [
    'POST /v1/chat/completions HTTP/1.1',
    `host: ${host}`,
    `authorization: Bearer ${keys.local}`,
    `content-length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');

it.skipIf(process.platform !== 'linux')(
  'five hundred connections that ask for a schema do not end a process of 64 descriptors',
  { timeout: 60_000 },
  async () => {
    const service = await serving({ descriptors: 64 });
    const { host, hostname, port } = new URL(service.url);
    const sockets = Array.from({ length: 500 }, () => connect(Number(port), hostname));
    onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
    let answered = 0;
    await Promise.all(
      sockets.map(async (socket) => {
        socket.on('error', () => undefined);
        socket.write(request(host));
        const closed = once(socket, 'close').then(() => []);
        const [first]: unknown[] = await Promise.race([once(socket, 'data'), closed]).catch(
          () => [],
        );
        if (String(first).startsWith('HTTP/1.1 200')) answered += 1;
      }),
    );
    expect(answered).toBeGreaterThan(4);
    for (const socket of sockets) socket.destroy();
    await expect
      .poll(async () => (await service.post('/v1/chat/completions', body)).status, {
        timeout: 10_000,
      })
      .toBe(200);
  },
);
