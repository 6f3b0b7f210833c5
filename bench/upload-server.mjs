// A server that takes any body and is never what is waited for: it counts the bytes of a body and
// looks at none of them.
import { createServer } from 'node:net';

const voice = '{"id":"voice_0123456789abcdefghij","name":"bench","engine":"extvoice"}';
const answers = {
  'GET /api/media/voices': ['200 OK', '{"voices":[],"pricing":{}}'],
  'POST /api/media/voices': ['201 Created', `{"ok":true,"voice":${voice}}`],
  'POST /v1/files': ['200 OK', '{"id":"file_1"}'],
  'GET /v1/balance': ['200 OK', '{"balance_rub":1000,"currency":"RUB"}'],
};

createServer((socket) => {
  let head = '';
  let left = 0;
  socket.on('error', () => undefined);
  socket.on('data', (piece) => {
    if (left > 0) {
      left -= piece.length;
    } else {
      head += piece.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) return;
      const length = Number(/\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
      left = length - (head.length - end - 4);
    }
    if (left > 0) return;
    const [status, json] = answers[head.slice(0, head.indexOf(' HTTP/1.1'))];
    head = '';
    socket.write(
      `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${json.length}\r\n\r\n${json}`,
    );
  });
}).listen(0, '127.0.0.1', function () {
  process.send(this.address().port);
});
