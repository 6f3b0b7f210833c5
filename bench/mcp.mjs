// How long an agent waits for `svc mcp`: from its start to the answer to `initialize`, beside a
// bare node.
import { performance } from 'node:perf_hooks';
import { start } from './measure.mjs';

const clientInfo = { name: 'bench', version: '1' };
const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
const request = { jsonrpc: '2.0', id: 1, method: 'initialize', params };

/** Starts the server, sends `initialize` and ends when the answer has arrived; milliseconds. */
export async function initialize(words, env = {}) {
  const startedAt = performance.now();
  const { child, cpuMs } = start(words, env, 'pipe');
  child.stdin.write(`${JSON.stringify(request)}\n`);
  const line = await new Promise((resolve, reject) => {
    child.stdout.once('data', resolve);
    child.once('error', reject);
    child.once('exit', () => reject(new Error('it ended without an answer')));
  });
  const ms = performance.now() - startedAt;
  if (!String(line).includes('"serverInfo"')) throw new Error(String(line));
  child.stdin.end();
  await new Promise((resolve) => child.once('close', resolve));
  return { ms, cpuMs: cpuMs() };
}
