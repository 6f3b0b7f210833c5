// A service over TLS at the end of a link of 40 ms there and back, on loopback: sockets that hold
// bytes back, and the first of a connection for as long as TCP would take to open it.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import net from 'node:net';
import { join } from 'node:path';

const oneWayMs = 20;
const fixture = (name) => readFileSync(join(import.meta.dirname, '../test/http/fixtures', name));

const service = createServer({ cert: fixture('service.pem'), key: fixture('service.key') });
service.on('request', (request, response) => {
  response.setHeader('content-type', 'application/json');
  response.end('{"balance_rub":1000,"currency":"RUB"}');
});

function carry(from, to, openedAtMs) {
  from.on('data', (bytes) => {
    const waitMs = Math.max(0, openedAtMs - performance.now()) + oneWayMs;
    setTimeout(() => to.write(bytes), waitMs);
  });
  from.on('end', () => setTimeout(() => to.end(), oneWayMs));
  from.on('error', () => to.destroy());
}

const link = net.createServer({ noDelay: true, allowHalfOpen: true }, (near) => {
  const far = net.connect({ port: service.address().port, host: '127.0.0.1', noDelay: true });
  carry(near, far, performance.now() + 2 * oneWayMs);
  carry(far, near, 0);
});

service.listen(0, '127.0.0.1', () => {
  link.listen(0, '127.0.0.1', () => process.send(link.address().port));
});
process.once('disconnect', () => process.exit());
