// A server that is never what is waited for: answers made beforehand, written as they are.
// `posts` instead of a number of chunks: short answers to many requests over kept connections.
import { createServer } from 'node:net';

const [count = '200000'] = process.argv.slice(2);
const json = '{"balance_rub":1000,"currency":"RUB"}';
const balance = Buffer.from(
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${json.length}\r\nConnection: close\r\n\r\n${json}`,
);

const event = (delta, reason = 'null', more = '') =>
  `data: {"id":"chatcmpl-0123456789abcdefghij","object":"chat.completion.chunk","created":1760000000,"model":"vendor/model-large-2026","system_fingerprint":"fp_0123456789","choices":[{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${reason}}],"usage":null${more}}\n\n`;
const chunk = (text) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

const words = {
  plain: [' the', ' lighthouse', '.', ' keeper', ' was', ' lit'],
  cyrillic: [' светит', ' маяк', '.', ' вечером', ', и', ' корабли'],
  breaks: ['.\n\n', '"Yes', '," she', '\n- ', '\ta', '\\'],
  code: ['const', ' x', ' =', ' "a', '";\n', '  if', ' (x', ') {\n', '    return', '\n}\n'],
};
const mix = [...words.plain, ...words.cyrillic, ...words.code, ...words.breaks.slice(0, 2)];
const contents = (texts) => texts.map((text) => event(JSON.stringify({ content: text })));
/** What services put beside the text, of another length in each event. */
const padded = Array.from({ length: 97 }, (_, nth) => {
  const padding = `,"obfuscation":"${'aB3dE6gH9jK2mN5pQ8'.slice(0, 1 + ((nth * 7) % 17))}"`;
  return event(JSON.stringify({ content: mix[nth % mix.length] }), 'null', padding);
});

/** The events of an answer, by its kind; the first part of the path names it. */
const kinds = {
  mix: contents(mix),
  plain: contents(words.plain),
  cyrillic: contents(words.cyrillic),
  breaks: contents(words.breaks),
  code: contents(words.code),
  reasoning: mix.map((text) => event(JSON.stringify({ reasoning_content: text }))),
  obfuscation: padded,
};
const blockLength = 2000;
const head =
  'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n';
const first = Buffer.from(head + chunk(event('{"role":"assistant","content":""}')));
const last = Buffer.from(
  `${chunk(event('{"content":"."}'))}${chunk(event('{}', '"stop"'))}${chunk('data: [DONE]\n\n')}0\r\n\r\n`,
);
const blocks = Object.fromEntries(
  Object.entries(kinds).map(([kind, events]) => [
    kind,
    Buffer.from(
      Array.from({ length: blockLength }, (_, nth) => chunk(events[nth % events.length])).join(''),
    ),
  ]),
);

function sendStream(socket, kind) {
  socket.write(first);
  for (let sent = 0; sent < Number(count); sent += blockLength) socket.write(blocks[kind]);
  socket.end(last);
}

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
    const [, kind = 'mix'] = /^POST \/(\w+)\/v1\//.exec(request) ?? [];
    if (request.startsWith('GET')) socket.end(balance);
    else sendStream(socket, kind);
  });
}

createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => undefined);
  if (count === 'posts') answerPosts(socket);
  else answerOnce(socket);
}).listen(0, '127.0.0.1', function () {
  process.send(this.address().port);
});
