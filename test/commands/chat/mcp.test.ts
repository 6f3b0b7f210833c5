/** `svc chat --mcp`: the tools of a server run under the same approvals as tools of a folder. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testFolder } from '../../helpers/folder.js';
import { localScript } from '../../helpers/local-script.js';
import { mcpServer, offers } from '../../helpers/mcp-server.js';
import { run } from '../../helpers/run.js';

const call = { name: 'weather', arguments: { city: 'Oslo' } };
const calls = { match: { last: 'user' }, reply: 'I look.', toolCalls: [call] };

it('keeps the calls that wait for approval, and the server that -c starts again', async () => {
  const home = testFolder();
  const seen = join(home, 'seen');
  const server = mcpServer({
    'tools/list': offers('weather'),
    'tools/call': `require('node:fs').appendFileSync(${JSON.stringify(seen)}, message.params.arguments.city + ' '),
      { content: [{ type: 'text', text: 'rain' }] }`,
  });
  const env = localScript(calls, { reply: 'It rains.' });
  const chat = (...words: string[]) => run(['--local', 'chat', ...words], { home, env });
  const { code, stderr } = await chat('-m', 'local/script', '--mcp', server, 'what?');
  expect([code, existsSync(seen)]).toEqual([8, false]);
  expect(stderr).toContain('error: 1 tool call is waiting for approval\n');
  const shown = 'weather {"city":"Oslo"}\n';
  const later = await chat('-c', '--approve', 'always');
  expect(later).toMatchObject({ code: 0, stdout: 'It rains.\n', stderr: shown });
  expect(readFileSync(seen, 'utf8')).toBe('Oslo ');
});

it('starts a server that is named twice once, whose schema may be more than svc can check', async () => {
  const tools = `{ tools: [{ name: 'weather', inputSchema: { type: 'object', $ref: '#/none' } }] }`;
  const server = mcpServer({ 'tools/list': tools, 'tools/call': `{ content: [] }` });
  const words = ['--mcp', server, '--mcp', server, '--approve', 'always', '--json', 'what?'];
  const env = localScript(calls, { reply: 'It rains.' });
  const { stdout } = await run(['--local', 'chat', '-m', 'local/script', ...words], { env });
  expect(JSON.parse(stdout)).toMatchObject({ text: 'It rains.', calls: [{ isError: false }] });
  const shown = await run(['--local', 'chat', '--dry-run', ...words], { env });
  expect(JSON.parse(shown.stdout)).toMatchObject({ body: { tools: [{ type: 'function' }] } });
});
