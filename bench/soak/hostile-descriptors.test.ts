/** What many connections at once do to a process that may have few descriptors. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { chatHead } from '../../test/service/raw-connection.js';
import { serving } from './hostile-serving.js';

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
it.skipIf(process.platform !== 'linux')(
  'five hundred connections that ask for a schema do not end a process of 64 descriptors',
  { timeout: 60_000 },
  async () => {
    const service = await serving({ descriptors: 64 });
    const port = Number(new URL(service.url).port);
    const request = [...chatHead(port, body.length), '', body].join('\r\n');
    const sockets = Array.from({ length: 500 }, () => connect(port, '127.0.0.1'));
    onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
    let answered = 0;
    await Promise.all(
      sockets.map(async (socket) => {
        socket.on('error', () => undefined);
        socket.write(request);
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
