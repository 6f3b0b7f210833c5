// What svc proxy adds to the first byte of an answer, side by side with the service alone; and what
// it takes for 20,000 requests: processor time for each, and memory.
import { fork, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment, median, reportFigure } from './measure.mjs';

const self = import.meta.filename;
const svc = join(import.meta.dirname, '../bin/svc.cjs');
const key = 'sk-run-0123456789abcdef0123456789abcdef';
const [requests, atOnce, rounds] = [20_000, 16, 400];

const event = (delta, finish_reason) =>
  `data: ${JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const answer = event({ content: 'first' }, null);
const rest = `${event({ content: ' second' }, null)}${event({}, 'stop')}data: [DONE]\n\n`;

/** The service: an event at once, and the rest in the next turn. */
function serve() {
  let count = 0;
  const server = createServer((incoming, response) => {
    incoming.resume().once('end', () => {
      if (incoming.method !== 'POST') {
        const page = Number(/page=(\d+)/.exec(incoming.url)?.[1] ?? 1);
        const records = Array.from({ length: 100 }, (_, at) => count - 100 * (page - 1) - at);
        const data = records.map((number) => ({ id: `gen_${number}`, priceRub: 0.01 }));
        const id = incoming.url.split('/').at(-1);
        const history = { data, page, limit: 100, total: count };
        const reply = id.startsWith('gen_') ? { id, priceRub: 0.01 } : history;
        return response.end(JSON.stringify(reply));
      }
      const id = `gen_${(count += 1)}`;
      response.writeHead(200, { 'content-type': 'text/event-stream', 'x-svc-generation-id': id });
      response.write(answer);
      setImmediate(() => response.end(rest));
      return undefined;
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
}

const body = JSON.stringify({
  model: 'm',
  stream: true,
  messages: [{ role: 'user', content: 'hello, world. '.repeat(1000) }],
});

/** Milliseconds to the first byte of the body. */
function ask(url, agent) {
  const { hostname, port } = url;
  const headers = {
    'x-api-key': key,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    let ms;
    const path = '/v1/chat/completions';
    const outgoing = request(
      { hostname, port, path, method: 'POST', headers, agent },
      (incoming) => {
        if (incoming.statusCode !== 200) reject(new Error(`answered ${incoming.statusCode}`));
        incoming.once('data', () => (ms = performance.now() - startedAt));
        incoming.once('end', () => resolve(ms)).resume();
      },
    );
    outgoing.once('error', reject).end(body);
  });
}

/** Processor time in ms (proc(5): ticks of 10 ms), and memory in MB. */
function usedBy(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1].split(' ');
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const mb = (name) => (Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) * 1024) / 1e6;
  return {
    cpuMs: (Number(fields[11]) + Number(fields[12])) * 10,
    mb: mb('VmRSS'),
    peakMb: mb('VmHWM'),
  };
}

async function started(url, more = []) {
  const env = {
    ...environment,
    SVC_CONFIG_DIR: mkdtempSync(join(tmpdir(), 'svc-bench-')),
    SVC_BASE_URL: url.origin,
    SVC_API_KEY: 'sk-svc-bench',
    SVC_PROXY_KEY: key,
  };
  const args = [svc, '-q', 'proxy', '--port', '0', ...more];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise((resolve) => child.stdout.once('data', resolve));
  return { child, url: new URL(String(line).trim()) };
}

export async function benchProxy() {
  const service = fork(self, ['serve']);
  const port = await new Promise((resolve) => service.once('message', resolve));
  const direct = new URL(`http://127.0.0.1:${port}`);
  const { child, url } = await started(direct, ['--no-log']);
  const agent = new Agent({ keepAlive: true });
  const times = { direct: [], proxied: [] };
  for (let round = 0; round < rounds; round += 1) {
    times.direct.push(await ask(direct, agent));
    times.proxied.push(await ask(url, agent));
  }
  const added = median(times.proxied.map((ms, at) => ms - times.direct[at]));
  const [with_, without] = [median(times.proxied), median(times.direct)];
  const figure = `${added.toFixed(2)} ms   ${with_.toFixed(2)} instead of ${without.toFixed(2)}`;
  reportFigure('svc proxy, added to the first byte', figure, '≤ 1 ms');
  const before = usedBy(child.pid);
  let left = requests;
  const many = new Agent({ keepAlive: true, maxSockets: atOnce });
  const asking = async () => {
    while ((left -= 1) >= 0) await ask(url, many);
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: atOnce }, asking));
  const seconds = (performance.now() - startedAt) / 1000;
  const after = usedBy(child.pid);
  const each = ((after.cpuMs - before.cpuMs) / requests).toFixed(2);
  const rate = (requests / seconds).toFixed(0);
  reportFigure('svc proxy, CPU of a request', `${each} ms   ${rate} a second`, '');
  const memory = `${after.mb.toFixed(0)} MB   ${before.mb.toFixed(0)} before, at most ${after.peakMb.toFixed(0)}`;
  reportFigure('svc proxy, memory after 20,000 requests', memory, '≤ 90 MB');
  child.kill('SIGKILL');
  service.kill();
  agent.destroy();
  many.destroy();
}

if (process.argv[2] === 'serve') serve();
else if (process.argv[1] === self) await benchProxy();
