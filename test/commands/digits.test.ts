import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LineReader } from '../../src/batch/line.js';
import { parsedJson, recordOf } from '../../src/lib/json.js';
import { fakeService } from '../helpers/fake-service.js';
import { testFolder } from '../helpers/folder.js';
import { run } from '../helpers/run.js';

const numbers = '"id":12345678901234567890,"price":1.10,"at":1E5';

function fileWith(name: string, text: string): string {
  const path = join(testFolder(), name);
  writeFileSync(path, text);
  return path;
}

test.each([
  ['decide --model local/decide --yes-no ok=x --state', [`{${numbers}}`]],
  ['decide --model local/decide --yes-no ok=x --state', [`[1.10,{${numbers}}]`]],
  ['generate local/canvas a --opt', [`more={${numbers}}`]],
  ['chat hi --model local/echo --history', [`[{"role":"user","content":"a",${numbers}}]`]],
  ['chat hi --model local/echo --schema', ['{"const":12345678901234567890,"maximum":1.10}']],
])('the request of svc %s has the digits that were given', async (line, [value = '']) => {
  const isFile = line.endsWith('--history');
  const given = isFile ? fileWith('messages.json', value) : value;
  const { stdout } = await run(['--local', ...line.split(' '), given, '--dry-run', '--json']);
  const compact = stdout.replaceAll(/\s/g, '');
  expect(compact).toContain(value.replace(/^more=|^\[(?=\{"role)|\]$/g, ''));
});

test('single options and fields have the digits that were given', async () => {
  const words = '-F a[b]=12345678901234567890 -F a[c][]=1E5 -F price=1.10'.split(' ');
  const asked = async (...line: string[]) =>
    (await run(['--local', ...line, '--dry-run', '--json'])).stdout.replaceAll(/\s/g, '');
  const body = '{"a":{"b":12345678901234567890,"c":[1E5]},"price":1.10}';
  expect(await asked('api', 'POST', '/x', ...words)).toContain(`"body":${body}`);
  expect(await asked('api', 'GET', '/x', ...words)).toContain('&price=1.10');
  const options = '{"price":1.10,"ids":12345678901234567890}';
  const given = '--opt price=1.10 --opt ids=12345678901234567890'.split(' ');
  expect(await asked('generate', 'vendor/none', 'a', ...given)).toContain(`"opts":${options}`);
});

test('two customers whose ids differ in a digit are two prompts of a batch', async () => {
  const ids = ['9007199254740992', '9007199254740993', '1.10', '1.1'];
  const input = fileWith('in.jsonl', ids.map((id) => `{"id":${id}}\n`).join(''));
  const out = `${input}.out`;
  const words = ['--local', 'batch', 'run', input, '-m', 'local/echo', '--prompt', 'of {id}'];
  expect(await run([...words, '-o', out])).toMatchObject({ code: 0 });
  const answers = readFileSync(out, 'utf8');
  for (const id of ids) expect(answers).toContain(`"content":"of ${id}"`);
});

test('the body of a batch line is sent with its digits, whole or short', async () => {
  const reader = await LineReader.open({ model: 'local/echo' }, undefined);
  const message = `{"role":"user","content":"a",${numbers}}`;
  const [url, body] = ['/v1/chat/completions', `{"model":"m","messages":[${message}],${numbers}}`];
  for (const line of [
    `{"custom_id":"a","url":"${url}","body":${body}}`,
    `{"custom_id":"b","messages":[${message}],${numbers}}`,
  ]) {
    const request = reader.read({ number: 1, fields: recordOf(parsedJson(line)) }, true);
    const sent = typeof request === 'string' ? request : request.body;
    expect(sent.split(numbers)).toHaveLength(3);
  }
});

test('a tool is shown, approved and run with the digits that the model gave', async () => {
  const script = fileWith(
    'script.json',
    `{"rules":[{"match":{"last":"user"},"toolCall":{"name":"refund","arguments":{${numbers}}}},{"reply":{${numbers}}}]}`,
  );
  const tool = fileWith(
    'refund.json',
    JSON.stringify({
      parameters: { type: 'object', properties: { id: { type: 'integer' }, price: {} } },
      argv: ['echo', '{id}', '{price}'],
    }),
  );
  for (const format of ['chat', 'messages', 'responses']) {
    const words = ['--local', 'chat', 'hi', '-m', 'local/script', '--format', format];
    const given = [...words, '--tool', tool, '--approve', 'always'];
    const env = { SVC_LOCAL_SCRIPT: script };
    const { stderr, stdout } = await run(given, { env });
    expect(stderr).toContain(`refund {${numbers}}`);
    expect(stdout).toContain(`{${numbers}}`);
    const events = (await run([...given, '--events'], { env })).stdout;
    expect(events).toContain('"text":"12345678901234567890 1.10"');
    const json = (await run([...given, '--json'], { env })).stdout.replaceAll(/\s/g, '');
    expect(json).toContain(`"arguments":{${numbers}}`);
  }
});

test('a list of numbers in a reply is shown with its digits', async () => {
  const { env } = await fakeService((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      '{"mediaWebhookUrl":"","balanceWebhookUrl":"","limits":[12345678901234567890,1.10]}',
    );
  });
  const session = { ...env, SVC_SESSION: 'a=b' };
  const { stdout } = await run('webhooks show', { env: session, tty: { stdout: true } });
  expect(stdout).toContain('12345678901234567890, 1.10');
});
