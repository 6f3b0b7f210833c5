// How many chats a second `svc serve` answers at 16 connections, beside a bare node:http server
// that gives an answer of the same length. Every chat is a debit and a record.
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment, median, reportFigure } from './measure.mjs';

const connections = 16;
const svc = join(import.meta.dirname, '../bin/svc.cjs');
const bareServer = `require('node:http').createServer((request, response) => {
  request.resume().on('end', () => response.end('x'.repeat(400)));
}).listen(0, '127.0.0.1', function () { console.log('http://127.0.0.1:' + this.address().port); });`;

/** Starts a server that says its address first. */
function start(args) {
  const env = { ...environment, SVC_CONFIG_DIR: mkdtempSync(join(tmpdir(), 'svc-bench-')) };
  const server = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  return new Promise((resolve) => {
    server.stdout.once('data', (line) => resolve({ server, url: new URL(String(line).trim()) }));
  });
}

/** Asks again and again over one connection until the time is over. */
function asking({ hostname, port, host }, endMs) {
  const body = JSON.stringify({
    model: 'local/echo',
    messages: [{ role: 'user', content: 'hello, world' }],
  });
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer sk-svc-local\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  const request = Buffer.from(head + body);
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host: hostname, port });
    let count = 0;
    let left = -1;
    socket.once('error', reject);
    socket.on('connect', () => socket.write(request));
    socket.on('data', (piece) => {
      if (left < 0) {
        const text = piece.toString('latin1');
        if (!text.startsWith('HTTP/1.1 200')) reject(new Error(text.slice(0, 200)));
        const length = Number(/content-length: (\d+)/i.exec(text)?.[1]);
        left = length + text.indexOf('\r\n\r\n') + 4;
      }
      left -= piece.length;
      if (left > 0) return;
      left = -1;
      count += 1;
      if (performance.now() < endMs) socket.write(request);
      else {
        socket.destroy();
        resolve(count);
      }
    });
  });
}

/** Answers a second. */
async function rate(url, seconds) {
  const startMs = performance.now();
  const lines = Array.from({ length: connections }, () => asking(url, startMs + seconds * 1000));
  const counts = await Promise.all(lines);
  return counts.reduce((sum, count) => sum + count, 0) / ((performance.now() - startMs) / 1000);
}

export async function benchServe(rounds = 5, seconds = 2) {
  const bare = await start(['-e', bareServer]);
  const serve = await start([svc, 'serve', '--port', '0']);
  const rates = { bare: [], serve: [] };
  await rate(serve.url, seconds);
  for (let round = 0; round < rounds; round += 1) {
    rates.bare.push(await rate(bare.url, seconds));
    rates.serve.push(await rate(serve.url, seconds));
  }
  bare.server.kill();
  serve.server.kill();
  const [most, chats] = [median(rates.bare), median(rates.serve)];
  const figure = `${(chats / most).toFixed(2)}   ${chats.toFixed(0)} of ${most.toFixed(0)}`;
  reportFigure('svc serve, chats a second / bare node:http', figure, '≥ 0.3');
}
