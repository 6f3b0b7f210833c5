/**
 * Runs an agent program to its end with `svc serve` in one network, and prints what came of it. The
 * program asks through a proxy here, which keeps the requests and asks local/script in place of the
 * model that the program knows. In the words and variables, ROOT is the address of the proxy,
 * and SERVICE that of the service.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import * as z from 'zod/mini';
import { parsedJson, recordOf } from '../../src/lib/json.js';

const words = z.tuple([z.string()], z.string());
const Turn = z.object({
  serve: words,
  program: words,
  env: z.record(z.string(), z.string()),
  cwd: z.string(),
  timeoutMs: z.number(),
});

const requests: { path: string; status: number; body: unknown }[] = [];

async function forward(service: string, from: IncomingMessage, to: ServerResponse): Promise<void> {
  const { method, url: path = '/', headers } = from;
  const body: unknown = { ...recordOf(parsedJson(await text(from))), model: 'local/script' };
  const kept = ['authorization', 'x-api-key', 'content-type', 'anthropic-version'];
  const sent = kept.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] satisfies [string, string]] : [];
  });
  const hasBody = method === 'POST';
  const init = { method, headers: sent, body: hasBody ? JSON.stringify(body) : undefined };
  const reply = await fetch(service + path, init);
  requests.push({ path, status: reply.status, body });
  to.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? '' });
  Readable.from(reply.body ?? []).pipe(to);
}

async function run(given: string): Promise<void> {
  const { serve } = Turn.parse(JSON.parse(given));
  const [bin, ...flags] = serve;
  const service = spawn(bin, flags, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [first]: unknown[] = await once(service.stdout, 'data');
  const address = String(first).trim();
  const proxy = createServer((from, to) => {
    forward(address, from, to).catch(() => to.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const bound = proxy.address();
  const port = bound && typeof bound === 'object' ? bound.port : 0;
  const root = `http://127.0.0.1:${String(port)}`;
  const placed = given.replaceAll('ROOT', root).replaceAll('SERVICE', address);
  const { program, env, cwd, timeoutMs } = Turn.parse(JSON.parse(placed));
  const [command, ...more] = program;
  const agent = spawn(command, more, {
    ...{ env, cwd, timeout: timeoutMs, killSignal: 'SIGKILL' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = Promise.all([text(agent.stdout), text(agent.stderr)]);
  const [code]: unknown[] = await once(agent, 'exit');
  const [stdout, stderr] = await said;
  const headers = { authorization: 'Bearer sk-svc-local' };
  const [balance, usage]: unknown[] = await Promise.all(
    ['balance', 'generations?limit=100'].map(async (path) => {
      return (await fetch(`${address}/v1/${path}`, { headers })).json();
    }),
  );
  service.kill();
  process.stdout.write(JSON.stringify({ code, stdout, stderr, requests, balance, usage }));
  proxy.closeAllConnections();
  proxy.close();
}

run(process.argv[2] ?? '').catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
