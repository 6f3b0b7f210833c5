// A service that accepts 400 requests a second: LIMIT is how it counts, RETRY_AFTER its header.
import { createServer } from 'node:http';
import { services } from './shards.mjs';

const counts = { accepted: 0, refused: 0, firstMs: 0, lastMs: 0 };
const accepts = services[process.env.LIMIT]();
const start = performance.now();
const headers = process.env.RETRY_AFTER ? { 'retry-after': process.env.RETRY_AFTER } : {};
const answer = JSON.stringify({
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'hi' } }],
  usage: { prompt_tokens: 1, total_tokens: 2 },
});

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    const nowMs = performance.now() - start;
    const isAccepted = accepts(nowMs);
    counts.firstMs ||= nowMs;
    counts.lastMs = nowMs;
    counts[isAccepted ? 'accepted' : 'refused'] += 1;
    response.writeHead(isAccepted ? 200 : 429, {
      'content-type': 'application/json',
      ...(isAccepted ? {} : headers),
    });
    response.end(isAccepted ? answer : '{"error":{"message":"too many requests"}}');
  });
});
server.listen(0, '127.0.0.1', () => process.send(server.address().port));
process.on('message', () => process.send(counts));
