// A server of one large file over http and https that is never what is waited for: large writes
// from memory, and nothing read but the head of a request.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';

const length = Number(process.argv[2]);
const block = Buffer.alloc(1024 * 1024, 'a file that is not of zeros alone ');
const head = `HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: ${length}\r\nETag: "1"\r\nConnection: close\r\n\r\n`;

function serve(socket) {
  socket.on('error', () => undefined);
  let request = '';
  socket.on('data', function onData(piece) {
    request += piece.toString('latin1');
    if (!request.includes('\r\n\r\n')) return;
    socket.off('data', onData);
    socket.resume();
    socket.write(head);
    let left = length;
    const write = () => {
      while (left > 0) {
        const piece = block.subarray(0, Math.min(left, block.length));
        left -= piece.length;
        if (!socket.write(piece)) return void socket.once('drain', write);
      }
      socket.end();
    };
    write();
  });
}

const fixture = (name) => readFileSync(join(import.meta.dirname, '../test/http/fixtures', name));
const plain = createServer(serve).listen(0, '127.0.0.1', () => {
  const tls = { cert: fixture('service.pem'), key: fixture('service.key') };
  const secure = createTlsServer(tls, serve).listen(0, '127.0.0.1', () => {
    process.send({ http: plain.address().port, https: secure.address().port });
  });
});
