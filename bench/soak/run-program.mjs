/**
 * A program of svc run that behaves badly: `node run-program.mjs COUNT FIRST` asks COUNT questions at
 * once, over both formats. Of every five one hangs up within its answer, and one before it; others
 * come in pairs on one connection, or with a body that never ends. It prints the statuses.
 */
import { connect } from 'node:net';

const [count = 200, first = 0] = process.argv.slice(2).map(Number);
const { ANTHROPIC_API_KEY: key = '', ANTHROPIC_BASE_URL: root = '' } = process.env;
const { hostname, port, host } = new URL(root);
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
const filler = 'word '.repeat(600);

const bodyOf = (number, stream) =>
  JSON.stringify({
    model: 'local/guide',
    messages: [{ role: 'user', content: `question ${number} ${filler}` }],
    max_tokens: 400,
    stream,
  });

async function ask(number, path, stream, hangUp) {
  const leave = new AbortController();
  if (hangUp === 'early') setTimeout(() => leave.abort(), number % 40);
  const init = { method: 'POST', headers, body: bodyOf(number, stream), signal: leave.signal };
  const answer = await fetch(root + path, init);
  if (hangUp === 'late' && answer.ok) {
    await answer.body.getReader().read();
    leave.abort();
    return 'left';
  }
  await answer.text();
  return answer.status;
}

const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Two requests in one write, of which nothing is read; then a third whose body never ends. */
async function pipeline(number) {
  await later(100);
  const head = (length) =>
    `POST /v1/chat/completions HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`;
  const body = bodyOf(number, false);
  const whole = head(Buffer.byteLength(body)) + body;
  const socket = connect(Number(port), hostname, () => socket.write(whole + whole + head(1e6)));
  socket.on('error', () => undefined);
  await later(500);
  socket.destroy();
  return 'piped';
}

const ways = [
  (number) => ask(number, '/v1/chat/completions', false),
  (number) => ask(number, '/messages', true),
  (number) => ask(number, '/v1/chat/completions', true, 'late'),
  (number) => ask(number, '/v1/chat/completions', number % 2 === 0, 'early'),
  pipeline,
];

process.stdout.write('begun\n');
const ends = await Promise.all(
  Array.from({ length: count }, (_, i) =>
    ways[i % ways.length](first + i).catch(({ name }) => name),
  ),
);
const sums = {};
for (const end of ends) sums[end] = (sums[end] ?? 0) + 1;
process.stdout.write(JSON.stringify(sums));
