/** What a server of MCP sends, and what it no longer sends, around the answer to a request. */
import { expect, test } from 'vitest';
import { McpServer, type Exchange } from '../../../src/commands/mcp/server.js';
import type { JsonRecord } from '../../../src/lib/json.js';
import { gate } from '../../helpers/gate.js';
import { ManualClock } from '../../helpers/manual-clock.js';

/** A server with one method, which a client that shows forms has called with a token for progress. */
async function called(answer: (exchange: Exchange) => unknown) {
  const clock = new ManualClock();
  const sent: JsonRecord[] = [];
  const about = { serverInfo: {}, instructions: '' };
  const methods = { call: { types: {}, answer: (_: JsonRecord, one: Exchange) => answer(one) } };
  const send = (message: object) => {
    sent.push({ ...message });
    return Promise.resolve();
  };
  const server = new McpServer(about, methods, send, clock);
  const clientInfo = { name: 'test', version: '1' };
  const capabilities = { elicitation: {} };
  const params = { protocolVersion: '2025-11-25', capabilities, clientInfo };
  server.receive({ id: 0, method: 'initialize', params });
  /** What needs no time has been done. */
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  await settled();
  server.receive({ id: 1, method: 'call', params: { _meta: { progressToken: 7 } } });
  /** What was sent since the answer to initialize. */
  const news = () => sent.slice(1);
  return { clock, news, server, settled };
}

const progress = (count: number, message: string) => ({
  method: 'notifications/progress',
  params: { progressToken: 7, progress: count, message },
  jsonrpc: '2.0',
});
const answered = (result: unknown) => ({ result, jsonrpc: '2.0', id: 1 });

test('no progress comes after the answer: no news, and no repetition', async () => {
  const working = gate();
  let onProgress: Exchange['onProgress'];
  const { clock, news, settled } = await called(async (exchange) => {
    ({ onProgress } = exchange);
    onProgress?.('half');
    await working.opened;
    return {};
  });
  await settled();
  clock.pass(10_000);
  await settled();
  working.open();
  await settled();
  const all = [progress(1, 'half'), progress(2, 'half (10 s)'), answered({})];
  expect(news()).toEqual(all);
  onProgress?.('late');
  clock.pass(60_000);
  await settled();
  expect(news()).toEqual(all);
});

test('an answer of the user that comes late, or twice, changes nothing, and is known as one', async () => {
  const { clock, news, server, settled } = await called(async ({ ask }) => {
    const [first] = await Promise.allSettled([ask?.({}, new AbortController().signal)]);
    return { first: first.status };
  });
  await settled();
  const agreed = { result: { action: 'accept', content: { ok: true } } };
  expect(server.takeAnswer({ id: 'svc-2', ...agreed })).toBe(false);
  expect(server.takeAnswer({ id: 1, ...agreed })).toBe(false);
  clock.pass(10 * 60_000);
  await settled();
  const cancelled = { method: 'notifications/cancelled', params: { requestId: 'svc-1' } };
  const all = [
    expect.objectContaining({ id: 'svc-1', method: 'elicitation/create' }),
    progress(1, 'running (10:00)'),
    expect.objectContaining(cancelled),
    answered({ first: 'rejected' }),
  ];
  expect(news()).toEqual(all);
  for (const response of [agreed, agreed])
    expect(server.takeAnswer({ id: 'svc-1', ...response })).toBe(true);
  await settled();
  expect(news()).toEqual(all);
});
