import { expect, test } from 'vitest';
import { testFolder } from '../helpers/folder.js';
import { start } from './svc.js';

const env = { SVC_LOCAL_JOB_TIME: '0ms' };
const clientInfo = { name: 'recorded', version: '1' };

/** What a client sends; a notification has no answer. */
const session = [
  ['initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }],
  ['notifications/initialized', {}],
  ['tools/list', {}],
  ['tools/call', { name: 'chat', arguments: { prompt: 'hi', model: 'local/echo' } }],
  ['tools/call', { name: 'image_create', arguments: { prompt: 'x' }, _meta: { progressToken: 7 } }],
  ['tools/call', { name: 'chat', arguments: { prompt: 'hi', maxTokens: 0 } }],
  ['tools/call', { name: 'balance', arguments: {} }],
  ['ping', {}],
] as const;

/** Without what differs from run to run. */
function steady(line: string, folder: string): string {
  return (
    line
      .replaceAll(folder, 'FOLDER')
      .replace(/\b(chatcmpl-|gen_|job_|req_)[a-z0-9]{8,}/g, '$1ID')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replace(/"data":"[\w+/=]{100,}"/, '"data":"BASE64"')
      .replace(/\\"bytes\\":\d+/, String.raw`\"bytes\":BYTES`)
      // Another runtime compresses the same picture to another size.
      .replace(/"size":\d+/, '"size":BYTES')
      .replace(/\\"created\\":\d+/, String.raw`\"created\":SECONDS`)
      .replace(/"version":"\d[^"]*"/, '"version":"VERSION"')
  );
}

test('a session of a client is answered as it was recorded', async () => {
  const folder = testFolder();
  const words = ['--local', 'mcp', '--files', folder, '--tools', 'chat,image_create,balance'];
  const { child, ended, shows } = await start(words, { env });
  const sent: string[] = [];
  for (const [id, [method, params]] of session.entries()) {
    const isRequest = !method.startsWith('notifications/');
    const line = JSON.stringify({ jsonrpc: '2.0', ...(isRequest && { id }), method, params });
    child.stdin.write(`${line}\n`);
    sent.push(line);
    if (isRequest) await shows(`"id":${id}}\n`);
  }
  child.stdin.end();
  const { code, stdout, stderr } = await ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  // How many there are of these depends on the machine.
  const got = stdout.split('\n').filter((line) => !line.includes('notifications/progress'));
  expect(stdout).toContain('"progressToken":7,"progress":1,"message":"generating the image');
  const lines = [
    ...sent.map((line) => `> ${line}`),
    ...got.map((line) => `< ${steady(line, folder)}`),
  ];
  await expect(lines.join('\n')).toMatchFileSnapshot('mcp-session.txt');
});

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends the server by that signal', async (signal) => {
  const { child, ended, shows } = await start(['--local', 'mcp']);
  child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  await shows('"id":1');
  child.kill(signal);
  expect(await ended).toMatchObject({ code: null, signal, stderr: '' });
});

test('SIGTERM while a picture is made leaves it to the same call of the next server', async () => {
  const home = testFolder();
  const folders = { HOME: home, SVC_CONFIG_DIR: home };
  const request = (name: string, given: object) => {
    const params = { name, arguments: given, _meta: { progressToken: 7 } };
    return `${JSON.stringify({ jsonrpc: '2.0', id: name, method: 'tools/call', params })}\n`;
  };
  const image = request('image_create', { prompt: 'x' });
  const slow = { ...folders, SVC_LOCAL_JOB_TIME: '2s' };
  const first = await start(['--local', 'mcp'], { env: slow });
  first.child.stdin.write(image);
  await first.shows('generating the image');
  first.child.kill('SIGTERM');
  expect(await first.ended).toMatchObject({ signal: 'SIGTERM', stderr: '' });
  const second = await start(['--local', 'mcp'], { env: { ...env, ...folders } });
  second.child.stdin.write(image);
  await second.shows('"id":"image_create"}');
  second.child.stdin.write(request('balance', {}));
  await second.shows('"id":"balance"}');
  second.child.stdin.end();
  const { stdout } = await second.ended;
  expect(stdout).toContain(String.raw`\"resumed\":true`);
  expect(stdout).toContain(String.raw`\"balance_rub\":997.6`);
});

test('a reader that is gone ends the server', async () => {
  const { child, ended } = await start(['--local', 'mcp']);
  child.stdout.destroy();
  child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  expect(await ended).toMatchObject({ code: 141, stderr: '' });
});
