import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { linesOf } from '../../../src/commands/mcp/wire.js';
import { maxRequestBytes } from '../../../src/files/named-file.js';
import { startMcp } from '../../helpers/mcp-client.js';
import { run } from '../../helpers/run.js';

/** A server whose answers are read line by line, as they are written. */
function startServer(words = '') {
  const stdin = new PassThrough();
  const answers: string[] = [];
  let onAnswer: () => void = () => undefined;
  const onStdout = (text: string) => {
    answers.push(text);
    onAnswer();
  };
  const ended = run(`--local mcp ${words}`, { stdin, onStdout });
  onTestFinished(async () => {
    stdin.end();
    await ended;
  });
  const answerTo = async (line: string | Buffer, count = 1) => {
    const wanted = answers.length + count;
    const answered = new Promise<void>((resolve) => {
      onAnswer = () => {
        if (answers.length >= wanted) resolve();
      };
    });
    stdin.write(Buffer.concat([Buffer.from(line), Buffer.from('\n')]));
    await answered;
    return answers.at(-1) ?? '';
  };
  return { answers, answerTo, ended, stdin };
}

const ping = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
const pong = (id: string) => `{"result":{},"jsonrpc":"2.0","id":${id}}\n`;
const deep = '['.repeat(100_000) + ']'.repeat(100_000);

test.each([
  ['no JSON', undefined, -32700],
  ['{"jsonrpc":"2.0","id":1,"method":"ping"', undefined, -32700],
  [Buffer.from([...Buffer.from('{"jsonrpc":"2.0","id":"'), 0xff, 0x22, 0x7d]), undefined, -32700],
  ['[]', undefined, -32600],
  [`[${ping('1')},${ping('2')}]`, undefined, -32600],
  [deep, undefined, -32600],
  ['"ping"', undefined, -32600],
  ['{"jsonrpc":"2.0"}', undefined, -32600],
  ['{"id":12345678901234567890,"method":"ping"}', '12345678901234567890', -32600],
  ['{"jsonrpc":"2.0","id":"a","method":7}', '"a"', -32600],
  ...['null', '1.5', '{}', '[1]', 'true', '1e400'].map(
    (id) => [ping(id), undefined, -32600] as const,
  ),
  ['{"jsonrpc":"2.0","id":1,"method":"ping","params":5}', '1', -32602],
  ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', '1', -32602],
  ['{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":7}}', '1', -32602],
  [
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"balance","_meta":{"progressToken":{}}}}',
    '1',
    -32602,
  ],
  ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":7}}', '1', -32602],
  ['{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nope"}}', '1', -32602],
  [
    '{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/list","params":{"cursor":"x"}}',
    '9007199254740993',
    -32602,
  ],
  [
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"balance","task":{}}}',
    '1',
    -32601,
  ],
  ['{"jsonrpc":"2.0","id":1,"method":"server/discover"}', '1', -32601],
] as const)('%.70s is refused, and only an id that can be one is echoed', async (...row) => {
  const [line, id, code] = row;
  const { answerTo } = startServer();
  const answer = await answerTo(line);
  const message = expect.stringMatching(/\w/);
  expect(JSON.parse(answer)).toMatchObject({ jsonrpc: '2.0', error: { code, message } });
  expect(/"id":([^,]+),/.exec(answer)?.[1]).toBe(id);
  expect(await answerTo(ping('"next"'))).toBe(pong('"next"'));
});

test.each(['12345678901234567890', '9007199254740993', '1.0', '1e3', '"1"', '1', '-0', '"é"'])(
  'the id %s is answered with the characters that came',
  async (id) => {
    const { answerTo } = startServer();
    expect(await answerTo(ping(id))).toBe(pong(id));
  },
);

test('blanks, a carriage return, a mark of UTF-8 and cuts within a character change nothing', async () => {
  const { answerTo, stdin } = startServer();
  for (const line of [` ${ping('1')}\r`, `\uFEFF${ping('1')}`, `\n\r\n${ping('1')}`])
    expect(await answerTo(line)).toBe(pong('1'));
  const bytes = Buffer.from(ping('"é"'));
  for (const byte of bytes.subarray(0, -1)) stdin.write(Buffer.from([byte]));
  expect(await answerTo(bytes.subarray(-1))).toBe(pong('"é"'));
});

test('what must not be answered is not: responses, notifications, cancels of other requests', async () => {
  const { answers, answerTo, stdin } = startServer();
  for (const line of [
    '{"jsonrpc":"2.0","id":1,"result":{}}',
    '{"jsonrpc":"2.0","method":"notifications/x","params":5}',
    '{"jsonrpc":"2.0","method":"nope"}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}',
    '{"jsonrpc":"2.0","method":"notifications/cancelled"}',
  ])
    stdin.write(`${line}\n`);
  await answerTo(ping('1'));
  stdin.write('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n');
  await answerTo(ping('2'));
  expect(answers).toEqual([pong('1'), pong('2')]);
});

test('two requests with one id are both answered', async () => {
  const { answers, answerTo } = startServer();
  await answerTo([1, 1, 2].map((id) => ping(String(id))).join('\n'), 3);
  expect(answers).toEqual([pong('1'), pong('1'), pong('2')]);
});

test('arguments of any depth are refused, and the next call is answered', async () => {
  const { answerTo } = startServer();
  const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"chat","arguments":{"prompt":${deep}}}}`;
  expect(await answerTo(call)).toContain('prompt must be a text');
  expect(await answerTo(ping('2'))).toBe(pong('2'));
});

test('lines that are no messages are noted, and a last line without end is not read', async () => {
  const { answerTo, ended, stdin } = startServer();
  for (const line of ['no JSON', '{"jsonrpc":"2.0"}', '[]']) await answerTo(line);
  stdin.end(ping('1'));
  const { code, stderr, stdout } = await ended;
  const note = 'the last line on stdin has no end and was not read\n';
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: 'a line on stdin is not a message of MCP\n'.repeat(3) + note,
  });
  expect(stdout).not.toContain('"result"');
});

test('long lines are read, and of one that is longer than any request little is kept', async () => {
  const { call, ended, toServer } = await startMcp();
  expect((await call('balance', { x: 'x'.repeat(11_000_000) })).isError).toBe(true);
  toServer.write('{"jsonrpc":"2.0","method":"notifications/cancelled"');
  for (let pieces = 0; pieces < 72; pieces += 1) toServer.write(' '.repeat(1_000_000));
  toServer.write('}\n');
  expect((await call('balance')).isError).toBe(false);
  toServer.end();
  expect((await ended).stderr).toBe('a line on stdin is not a message of MCP\n');
});

test.each([
  ['', /^For images, video.*chat.*web search.*prices.*Money is in RUB\.\n`maxCost`/],
  ['--tools balance', /^For balance\. Money is in RUB\.\nNo tool here costs anything\.$/],
  ['--read-only', /^For media jobs, models and prices/],
])('with %j, instructions say what svc is for and name no other tool', async (words, expected) => {
  const { client } = await startMcp(words);
  const instructions = client.getInstructions() ?? '';
  expect(instructions).toMatch(expected);
  expect(Buffer.byteLength(instructions)).toBeLessThanOrEqual(1200);
  const { tools } = await client.listTools();
  const named = instructions.match(/\b[a-z]+_[a-z]+\b|\bgenerate\b/g) ?? [];
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(named));
});

test('an answer with an error is no consent, whatever else it says', async () => {
  const { answerTo } = startServer('--ask-above 0');
  const about = { protocolVersion: '2025-11-25', capabilities: { elicitation: {} } };
  const clientInfo = { name: 'test', version: '1' };
  const request = (id: number, method: string, params: object) =>
    JSON.stringify({ jsonrpc: '2.0', id, method, params });
  await answerTo(request(1, 'initialize', { ...about, clientInfo }));
  const given = { name: 'chat', arguments: { prompt: 'hi', model: 'local/echo', maxTokens: 9 } };
  expect(await answerTo(request(2, 'tools/call', given))).toContain('"id":"svc-1"');
  const agreed = { result: { action: 'accept', content: { ok: true } }, error: { code: 1 } };
  const answer = await answerTo(JSON.stringify({ jsonrpc: '2.0', id: 'svc-1', ...agreed }));
  expect(answer).toContain('not_confirmed');
});

test('of a line that is longer than any request, no more is kept than shows that', async () => {
  const piece = Buffer.alloc(1_000_000, ' ');
  async function* pieces() {
    for (let bytes = 0; bytes < 2 * maxRequestBytes; bytes += piece.length) yield piece;
    yield Buffer.from('\n');
  }
  for await (const line of linesOf(pieces(), () => undefined)) {
    expect(line.length).toBeGreaterThan(maxRequestBytes);
    expect(line.length).toBeLessThanOrEqual(maxRequestBytes + piece.length);
  }
  expect.assertions(2);
});
