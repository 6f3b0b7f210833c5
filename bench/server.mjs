// A server that is never what is waited for: answers made beforehand, written as they are.
// `posts` instead of a number of chunks: short answers to many requests over kept connections.
import { createServer } from 'node:net';

const [count = '200000'] = process.argv.slice(2);
const json = '{"balance_rub":1000,"currency":"RUB"}';
const balance = Buffer.from(
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${json.length}\r\nConnection: close\r\n\r\n${json}`,
);

function chunk(delta, reason = 'null') {
  const event = `data: {"id":"chatcmpl-0123456789abcdefghij","object":"chat.completion.chunk","created":1760000000,"model":"vendor/model-large-2026","system_fingerprint":"fp_0123456789","choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${reason}}],"usage":null}\n\n`;
  return `${Buffer.byteLength(event).toString(16)}\r\n${event}\r\n`;
}

const head =
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n';
const done = 'data: [DONE]\n\n';
const words = [
  '{"content":" the"}',
  '{"content":" светит"}',
  '{"content":" lighthouse"}',
  '{"content":"."}',
];
const stream = Buffer.from(
  [
    head,
    chunk('{"role":"assistant","content":""}'),
    ...Array.from({ length: Number(count) || 0 }, (_, index) => chunk(words[index % words.length])),
    chunk('{}', '"stop"'),
    `${done.length.toString(16)}\r\n${done}\r\n0\r\n\r\n`,
  ].join(''),
);

const completion = JSON.stringify({
  id: 'chatcmpl-0123456789abcdefghij',
  object: 'chat.completion',
  created: 1760000000,
  model: 'vendor/model-large-2026',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'The lighthouse is lit. '.repeat(12) },
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 20, completion_tokens: 60, total_tokens: 80, cost_rub: 0.0012 },
});
const post = Buffer.from(
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${completion.length}\r\n\r\n${completion}`,
);

/** Answers each request of a connection when its body has arrived. */
function answerPosts(socket) {
  let text = '';
  socket.on('data', (piece) => {
    text += piece.latin1Slice();
    for (;;) {
      const start = text.indexOf('\r\n\r\n') + 4;
      const end = start + Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (start < 4 || text.length < end) return;
      text = text.slice(end);
      socket.write(post);
    }
  });
}

function answerOnce(socket) {
  let request = '';
  socket.on('data', function onData(piece) {
    request += piece.toString('latin1');
    if (!request.includes('\r\n\r\n')) return;
    socket.off('data', onData);
    socket.resume();
    socket.end(request.startsWith('GET') ? balance : stream);
  });
}

createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => undefined);
  if (count === 'posts') answerPosts(socket);
  else answerOnce(socket);
}).listen(0, '127.0.0.1', function () {
  process.send(this.address().port);
});
