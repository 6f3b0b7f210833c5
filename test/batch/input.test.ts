import { createHash } from 'node:crypto';
import { appendFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openInput } from '../../src/batch/input.js';
import type { LineTemplate } from '../../src/batch/line.js';
import type { BatchRequest } from '../../src/batch/request.js';
import { contextOver } from '../helpers/context.js';
import { testFolder } from '../helpers/folder.js';
import { rejection } from '../http/rig.js';

type Content = string | Buffer;

async function opened(content: Content, name = 'in.jsonl', template: LineTemplate = {}) {
  const path = join(testFolder(), name);
  writeFileSync(path, content);
  const input = await openInput(contextOver({}).context, path, template);
  onTestFinished(() => input.close());
  return { input, path };
}

/** The requests of an input that is checked and read once more. */
async function requestsOf(content: Content, name?: string, template?: LineTemplate) {
  const { input } = await opened(content, name, template);
  const checked: BatchRequest[] = [];
  const facts = await input.check((request) => void checked.push(request));
  const read: BatchRequest[] = [];
  for await (const block of input.requests()) read.push(...block);
  expect(read).toEqual(checked);
  expect(facts.count).toBe(read.length);
  return read;
}

/** As lines: id, number, path and body. */
async function shownOf(content: Content, name?: string, template?: LineTemplate) {
  const requests = await requestsOf(content, name, template);
  return requests.map(({ id, lineNumber, row, body }) => `${id} ${lineNumber} ${row.path} ${body}`);
}

const chatOf = (content: string) =>
  `{"model":"m","messages":[{"role":"user","content":${JSON.stringify(content)}}],"stream":false}`;
const shown = (id: string, line: number, content: string) =>
  `${id} ${line} /v1/chat/completions ${chatOf(content)}`;
const lines = (...all: object[]) => all.map((one) => `${JSON.stringify(one)}\n`).join('');

async function refusalOf(content: Content, name?: string, template?: LineTemplate) {
  const { input } = await opened(content, name, template);
  const failure = await rejection(input.check(() => undefined));
  return failure instanceof Error ? failure.message : failure;
}

describe('the input of a batch', () => {
  it('takes requests in the batch format to each of their addresses', async () => {
    const content = lines(
      { custom_id: 'a', method: 'POST', url: '/v1/embeddings', body: { model: 'e', input: 'x' } },
      { custom_id: 'b', url: '/v1/search', body: { query: 'cats' }, error: { code: 'timeout' } },
      { url: '/v1/messages/count_tokens', body: { messages: [{ role: 'user', content: 'x' }] } },
    );
    expect(await shownOf(content, 'in', { model: 'm', system: 'only for short lines' })).toEqual([
      'a 1 /v1/embeddings {"model":"e","input":"x"}',
      'b 2 /v1/search {"query":"cats"}',
      'line-3 3 /v1/messages/count_tokens {"model":"m","messages":[{"role":"user","content":"x"}]}',
    ]);
  });

  it('adds the options to short lines, which override them', async () => {
    const content = lines(
      { custom_id: 'a', prompt: 'hi' },
      { prompt: 'hi', model: 'other', system: 'Own.', max_tokens: 5, temperature: 0 },
      { messages: [{ role: 'system', content: 'Own.' }], prompt: 'hi' },
    );
    const template = { model: 'm', system: 'Be brief.', maxTokens: 9, schema: 'age int' };
    const format =
      '"response_format":{"type":"json_schema","json_schema":{"name":"answer","schema":' +
      '{"type":"object","properties":{"age":{"type":"integer"}},"required":["age"],' +
      '"additionalProperties":false},"strict":true}}';
    const own = '{"role":"system","content":"Own."},{"role":"user","content":"hi"}';
    const path = '/v1/chat/completions';
    expect(await shownOf(content, 'in', template)).toEqual([
      `a 1 ${path} {"model":"m","messages":[${own.replace('Own', 'Be brief')}],"stream":false,"max_tokens":9,${format}}`,
      `line-2 2 ${path} {"model":"other","messages":[${own}],"stream":false,"max_tokens":5,"temperature":0,${format}}`,
      `line-3 3 ${path} {"model":"m","messages":[${own}],"stream":false,"max_tokens":9,${format}}`,
    ]);
  });

  it.each([
    ['text by its first line', 'in', 'one\r\n\r\ntwo {x}', ['1 one', '3 two {x}']],
    ['text by its name', 'in.txt', '\ufeff{one}\ntwo', ['1 {one}', '2 two']],
    ['JSON by its first line', 'in', '\ufeff\r\n{"prompt":"one"}\r\n\r\n', ['2 one']],
  ])('reads %s, without empty lines', async (_, name, content, prompts) => {
    const all = prompts.map((one) => shown(`line-${one[0]}`, Number(one[0]), one.slice(2)));
    expect(await shownOf(content, name, { model: 'm' })).toEqual(all);
  });

  it('fills a prompt with the fields of lines', async () => {
    const content = lines({ custom_id: 'a', word: 'cat', n: 2 }, { word: '{n}', n: [1] });
    const prompt = '{{word}} of {word} {"a": {n}} {}';
    expect(await shownOf(content, 'in', { model: 'm', prompt })).toEqual([
      shown('a', 1, '{word} of cat {"a": 2} {}'),
      shown('line-2', 2, '{word} of {n} {"a": [1]} {}'),
    ]);
  });

  it.each([
    ['.csv', '\ufeffcustom_id,first word\r\na,"one, ""1"""\r\n\r\nb,"two\nlines"\r\n'],
    ['.tsv', 'custom_id\tfirst word\na\tone, "1"\n\nb\t"two\nlines"\n'],
  ])('fills a prompt with the columns of a %s file', async (extension, content) => {
    const prompt = 'Say {first word}!';
    expect(await shownOf(content, `in${extension}`, { model: 'm', prompt })).toEqual([
      shown('a', 2, 'Say one, "1"!'),
      // A row is named by its last line.
      shown('b', 5, 'Say two\nlines!'),
    ]);
  });

  it.each([
    ['by CR alone', 'custom_id,word\ra,"one\rmore"\rb,two\r', 'one\nmore'],
    ['in UTF-16', Buffer.from('\ufeffcustom_id,word\r\na,one\r\nb,two\r\n', 'utf16le'), 'one'],
    [
      'in UTF-16 the other way round',
      Buffer.from('\ufeffcustom_id,word\na,one\nb,two\n', 'utf16le').swap16(),
      'one',
    ],
  ])('reads a table whose lines end %s', async (_how, content, first) => {
    const read = await requestsOf(content, 'in.csv', { model: 'm', prompt: '{word}' });
    expect(read.map(({ id, body }) => [id, body])).toEqual([
      ['a', chatOf(first)],
      ['b', chatOf('two')],
    ]);
  });

  it('names all bad lines at once, also those that are bad in this batch', async () => {
    const path = '/v1/chat/completions';
    const message = { role: 'user', content: 'x' };
    const { input } = await opened(
      `${lines({ prompt: 'x' })}[]\n{"prompt\n${lines(
        { custom_id: 7, prompt: 'x' },
        { prompt: 7 },
        { prompt: ' ' },
        { messages: [{ role: 'cat' }] },
        { prompt: 'x', model: 'm' },
        { prompt: 'x', model: 'm', temperature: 3 },
        { prompt: 'x', model: 'm', stream: true },
        { url: '/v1/chat/completion', body: {} },
        { method: 'GET', url: path, body: {} },
        { custom_id: 'a', url: path },
        { url: path, body: { messages: [message] } },
      )}`,
    );
    const check = input.check(({ id }) => (id === 'line-8' ? 'it is late' : undefined));
    await expect(check).rejects.toMatchObject({
      name: 'UsageError',
      code: 'invalid_input',
      message: `14 lines cannot be sent, so nothing was sent:
  line 1: it has no model; use --model
  line 2: it is not a JSON object
  line 3: it is not a JSON object
  line 4: custom_id must be a text
  line 5: prompt must be a string
  line 6: it has no prompt and no messages
  line 7: messages[0].role must be system, user, assistant or tool
  line 8: it is late
  line 9: temperature must be at most 2
  line 10: stream must be false: an answer is one line
  line 11: a batch cannot send to "/v1/chat/completion"; did you mean /v1/chat/completions?
  line 12: method must be POST
  line 13: body must be an object
  line 14: model is missing`,
    });
  });

  it('names twenty bad lines and counts the others', async () => {
    const bad = Array.from({ length: 1234 }, () => '{}\n').join('');
    const all = Array.from(
      { length: 20 },
      (_, at) => `  line ${at + 1}: it has no prompt and no messages`,
    );
    const words = '1,234 lines cannot be sent, so nothing was sent:';
    expect(await refusalOf(bad)).toBe([words, ...all, '  and 1,214 more'].join('\n'));
  });

  const noModel = { prompt: 'Say {a}' };
  const needsLines = 'a batch needs one JSON object on each line';
  const isArray = `the input is a JSON array; ${needsLines}`;
  const semicolons = 'the columns seem to be separated by semicolons';
  const sameForAll = '--prompt has no field such as {text}, so all requests would be the same';
  it.each([
    ['in', '\n \n', {}, 'the input has no requests'],
    ['in', 'ok\n\xff', { model: 'm' }, 'line 2 is not UTF-8 text'],
    ['in.csv', 'a,b\n1,\xff\n', noModel, 'line 2 is not UTF-8 text'],
    ['in.csv', 'a,b\n1,2\n', {}, 'a table needs --prompt with a column in braces: a, b'],
    ['in.csv', 'b,c\n1,2\n', noModel, 'the table has no column "a"; it has b, c'],
    [
      'in.csv',
      'a,b\n1,2\n',
      { prompt: '{a} {P (USD)}' },
      'the table has no column "P (USD)"; it has a, b',
    ],
    ['in.csv', 'a,b,,,a\n1,2,,,3\n', noModel, 'the table has two columns "a"'],
    [
      'in',
      '{"a":1,"#1":2}\n{"a":3}',
      { model: 'm', prompt: '{a}{#1}' },
      'line 2 has no field "#1"',
    ],
    ['in', '{"a":1}', { model: 'm', prompt: 'x{2,3}' }, sameForAll],
    ['in.csv', 'a;b\n1,5;2\n', noModel, `${semicolons}: a;b`],
    ['in.csv', 'sep=;\na;b\n', noModel, `${semicolons}: sep=;`],
    ['in.tsv', 'a,b\n1,2\n', {}, 'the columns seem to be separated by commas: a,b'],
    ['in', '[{"a":1}]', noModel, isArray],
    ['in', '\n[\n {"a":1}\n]\n', { model: 'm' }, isArray],
    ['in.json', '[\n {"a":1}\n]', noModel, isArray],
    ['in', '{\n "a":1}\n', noModel, `the input is JSON over several lines; ${needsLines}`],
    ['in', '{\0"\0a\0', noModel, `the input is UTF-16 without its mark; ${needsLines}`],
    [
      'in.csv',
      'a,b\n1,2\n3\n',
      noModel,
      'the table cannot be read: Invalid Record Length: columns length is 2, got 1 on line 3',
    ],
    [
      'in',
      '{"b":1}',
      noModel,
      '1 line cannot be sent, so nothing was sent:\n  line 1: it has no field "a"',
    ],
  ])('refuses %s with %j', async (name, content, template, message) => {
    expect(await refusalOf(Buffer.from(content, 'latin1'), name, template)).toBe(message);
  });

  it('refuses a prompt that is the same for all before it reads', async () => {
    await expect(opened('x', 'in', { prompt: 'Hi {"a": 1}' })).rejects.toThrow(sameForAll);
  });

  it.each([
    ['Price (USD)', '1.10'],
    ['Цена, руб.', '2'],
    ['#1: a=b', 'x y'],
  ])('fills {%s} with the column of that name', async (name, value) => {
    const content = `"${name}",b\n${value},2\n`;
    const requests = await shownOf(content, 'in.csv', { model: 'm', prompt: `{${name}}, {b}` });
    expect(requests).toEqual([shown('line-2', 2, `${value}, 2`)]);
  });

  it('warns of braces that may be text, and not of JSON or double braces', async () => {
    const path = join(testFolder(), 'in.jsonl');
    writeFileSync(path, '{"a":1}');
    const prompt = 'match [0-9]{2,3} in {a}, as {{b}} or {"c": 1}';
    const { context, stderr } = contextOver({});
    const input = await openInput(context, path, { model: 'm', prompt });
    onTestFinished(() => input.close());
    await input.check(({ body }) => {
      expect(body).toContain('[0-9]{2,3} in 1, as {b} or {\\"c\\": 1}');
      return undefined;
    });
    expect(stderr.text).toBe(
      'warning: {2,3} is sent as text, since no column or field has that name; {{2,3}} means text\n',
    );
  });

  it('keeps a copy of what is piped in, which nobody else can read, until it is closed', async () => {
    const { context, stdin } = contextOver({});
    stdin.end('one\ntwo\n');
    const input = await openInput(context, '-', { model: 'm' });
    const facts = await input.check(() => undefined);
    const sha256 = createHash('sha256').update('one\ntwo\n').digest('hex');
    expect(facts).toEqual({ count: 2, sha256 });
    const { value } = await input.requests()[Symbol.asyncIterator]().next();
    expect(value).toMatchObject([{ id: 'line-1' }, { id: 'line-2' }]);
    const copies = () => readdirSync(tmpdir()).filter((name) => name.startsWith('svc-batch-'));
    expect(copies()).toEqual([]);
    await input.close();
  });

  it('refuses to send lines that have changed since they were checked', async () => {
    const { input, path } = await opened('one\n', 'in', { model: 'm' });
    await input.check(() => undefined);
    appendFileSync(path, 'two\n');
    const first = input.requests()[Symbol.asyncIterator]().next();
    await expect(first).rejects.toMatchObject({
      name: 'LocalFileError',
      code: 'input_changed',
      message: `${path} has changed while it was read`,
    });
  });

  it('reads lines that are cut anywhere, in an input of 2 MB', async () => {
    const prompts = Array.from({ length: 20_000 }, (_, at) => `${at} ${'я'.repeat(48)}`);
    const all = await requestsOf(prompts.join('\n'), 'in', { model: 'm' });
    expect(all.length).toBe(prompts.length);
    const isSame = all.every(({ body }, at) => body === chatOf(prompts[at] ?? ''));
    expect(isSame).toBe(true);
  });
});
