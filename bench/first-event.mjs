// How long the server's first event takes to stdout, in ms: the server lives here, so both ends
// of the way are on one clock.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { performance } from 'node:perf_hooks';
import { environment } from './measure.mjs';

const event = (delta, reason) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'm', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;

export async function firstEvent(commandFor, env = {}) {
  let written = 0;
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    // The reader has its headers and waits.
    setTimeout(() => {
      written = performance.now();
      response.write(event({ content: 'first' }, null));
      setTimeout(() => {
        response.end(`${event({}, 'stop')}data: [DONE]\n\n`);
      }, 20);
    }, 100);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const [command, ...args] = commandFor(`http://127.0.0.1:${server.address().port}`);
  const child = spawn(command, args, {
    env: { ...environment, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ms = await new Promise((resolve, reject) => {
    child.stdout.once('data', () => resolve(performance.now() - written));
    child.once('error', reject);
    child.once('exit', (code) => code !== 0 && reject(new Error(`ended with ${code}`)));
  });
  await new Promise((resolve) => child.once('close', resolve));
  server.close();
  return { ms };
}
