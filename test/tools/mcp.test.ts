import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { connectMcp, type McpOptions } from '../../src/tools/mcp.js';
import { testFolder } from '../helpers/folder.js';
import { endOfSvc, gone, isAlive } from '../helpers/left-behind.js';
import { mcpServer as server, offers } from '../helpers/mcp-server.js';

const never = new AbortController().signal;
const connect = (line: string, options: Partial<McpOptions> = {}) =>
  connectMcp(line, { env: { PATH: process.env['PATH'] }, signal: never, ...options });

/** Calls its first tool, and ends it. */
async function answerOf(line: string, options: Partial<McpOptions> = {}) {
  const { tools, end } = await connect(line, options);
  const answer = await tools[0]?.run({ a: 1 }, never);
  await end();
  return answer;
}

test('the tools of all pages are called with their arguments, under free names', async () => {
  const call = `{ content: [{ type: 'text', text: JSON.stringify(message.params) }] }`;
  const pages = `message.params.cursor ? ${offers('x', 'y')} : { ...${offers('do it', 'x')}, nextCursor: '2' }`;
  const line = server({ 'tools/list': pages, 'tools/call': call });
  const { tools, end } = await connect(line, { taken: new Set(['x']) });
  expect(tools.map(({ name }) => name)).toEqual(['do_it', 'fake_x', 'fake_x_2', 'y']);
  const text = '{"name":"do it","arguments":{"a":1}}';
  expect(await tools[0]?.run({ a: 1 }, never)).toEqual({ text, isError: false });
  await end();
});

test.each([
  [`{ error: { code: -1, message: 'no such file' } }`, { text: 'no such file', isError: true }],
  [`{ content: [], isError: true }`, { text: '', isError: true }],
  [`{ structuredContent: { a: 1 } }`, { text: '{"a":1}', isError: false }],
  [
    `{ content: [
      { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'file:///a', blob: 'AAA=' } },
      { type: 'resource', resource: { uri: 'file:///b', text: 'b' } },
      { type: 'resource_link', uri: 'file:///c', name: 'c' },
    ] }`,
    { text: '[image image/png, 3 B]\n[resource, 2 B]\nb\nfile:///c', isError: false },
  ],
  [`{ content: 'x' }`, { text: 'its answer does not follow MCP', isError: true }],
  [`process.exit(1)`, { text: 'it has ended', isError: true }],
  [`0`, { text: 'no answer in 0.05 s', isError: true }],
])('a call that is answered by %s', async (call, result) => {
  const line = server({ 'tools/list': offers('x'), 'tools/call': call });
  const limits = { callMs: call === '0' ? 50 : 10_000 };
  expect(await answerOf(line, { limits })).toEqual(result);
});

test('a long text is cut, and a line without an end ends the server', async () => {
  const long = `{ content: [{ type: 'text', text: 'x'.repeat(1e6) }] }`;
  const cut = await answerOf(server({ 'tools/list': offers('x'), 'tools/call': long }));
  expect(cut?.text).toMatch(/^x{65536}\n\[cut: 1\.0 MB in all\]$/);
  const endless = `setInterval(() => process.stdout.write('x'.repeat(1e6)), 0) && 0`;
  const line = server({ 'tools/list': offers('x'), 'tools/call': endless });
  expect(await answerOf(line)).toMatchObject({ isError: true, text: /more than 4\.2 MB/ });
});

test('a server that does not start, or does not answer, is an error with its words', async () => {
  // The second cannot even be looked for.
  for (const path of ['/nonexistent', `${process.execPath}/x`]) {
    await expect(connect(path)).rejects.toThrow(`the MCP server ${path} failed: spawn `);
  }
  const words = server({ initialize: `process.exit(console.error('no token') ?? 1)` });
  await expect(connect(words)).rejects.toThrow('failed: it has ended: no token');
  const many = server({ 'tools/list': offers(...Array<string>(200).fill('x')) });
  await expect(connect(many)).rejects.toThrow('more than 128 tools');
  const none = server({ 'tools/list': `{ tools: [], nextCursor: '2' }` });
  await expect(connect(none)).rejects.toThrow('it has no tools');
});

test.each([
  ['1', 'its tool x takes more than 32.0 kB to describe', 'x'.repeat(40_000)],
  ['5', 'its tools take more than 128 kB to describe', 'x'.repeat(30_000)],
])('%s long descriptions are refused: each question pays for them', async (count, why, text) => {
  const schema = `{ type: 'object', title: ${JSON.stringify(text)} }`;
  const list = `{ tools: Array(${count}).fill({ name: 'x', inputSchema: ${schema} }) }`;
  const line = server({ 'tools/list': list });
  // Without its options. A long path is shortened.
  await expect(connect(`${line} --token x`)).rejects.toThrow(
    new RegExp(`^the MCP server [^ ]+ [^ ]+ failed: ${why}`),
  );
});

test('a server that never answers is given up, also after memory was collected', async () => {
  setFlagsFromString('--expose-gc');
  const limits = { startMs: 300 };
  const connecting = connect(server({ initialize: '0' }), { limits });
  const collect = setInterval(() => void runInNewContext('gc()'), 20);
  await expect(connecting).rejects.toThrow('failed: no answer in 0.3 s');
  clearInterval(collect);
});

test('what is not JSON-RPC is ignored, and a call after the end of the server fails', async () => {
  const first = `console.log('hello\\n{"id":1}\\nnull')`;
  const line = server({ 'tools/list': offers('x'), 'tools/call': 'process.exit()' }, first);
  const { tools, isOpen } = await connect(line);
  expect(isOpen()).toBe(true);
  for (const text of ['it has ended', 'it has ended']) {
    expect(await tools[0]?.run({}, never)).toEqual({ text, isError: true });
    expect(isOpen()).toBe(false);
  }
});

/** A server that ignores the end of its input, with a child, and what the two say of themselves. */
async function stubborn(child: string) {
  const file = join(testFolder(), 'pids');
  const first = `process.on('SIGTERM', () => 0); setInterval(() => 0, 1000);
    const child = require('node:child_process').spawn('sleep', ['600'], ${child});
    require('node:fs').writeFileSync(${JSON.stringify(file)}, [process.pid, child.pid, process.env.SVC_API_KEY].join());`;
  const env = { PATH: process.env['PATH'], SVC_API_KEY: 'sk-svc-secret' };
  const limits = { endMs: 10 };
  const { end } = await connect(server({ 'tools/list': offers('x') }, first), { env, limits });
  const [parent = '', helper = '', key] = readFileSync(file, 'utf8').split(',');
  return { end, parent, helper, key };
}

test.each(['its use', 'svc'])('nothing of a server outlives %s', async (what) => {
  const svc = endOfSvc();
  const { end, parent, helper, key } = await stubborn('{}');
  if (what === 'svc') svc.end();
  else await end();
  await Promise.all([gone(parent), gone(helper)]);
  // Nor does it get the key.
  expect(key).toBe('');
});

test('the end of a server does not wait for what keeps its output open', async () => {
  const { end, parent, helper } = await stubborn(`{ detached: true, stdio: 'inherit' }`);
  await end();
  await gone(parent);
  expect(isAlive(helper)).toBe(true);
  process.kill(Number(helper), 'SIGKILL');
});

test('a run that is aborted cancels its call', async () => {
  const seen = join(testFolder(), 'seen');
  const cancelled = `require('node:fs').writeFileSync(${JSON.stringify(seen)}, String(message.params.requestId))`;
  const stopping = new AbortController();
  const call = `setTimeout(() => console.log('{}'), 0) && 0`;
  const line = server({
    'tools/list': offers('x'),
    'tools/call': call,
    'notifications/cancelled': cancelled,
  });
  const { tools, end } = await connect(line);
  const running = tools[0]?.run({}, stopping.signal);
  stopping.abort(new Error('stopped'));
  await expect(running).rejects.toThrow('stopped');
  await end();
  expect(readFileSync(seen, 'utf8')).toBe('2');
});

test.each(['', '  ', "a 'b", 'a "b'])('the command line %j is refused', async (line) => {
  await expect(connect(line)).rejects.toMatchObject({ code: 'usage' });
});
