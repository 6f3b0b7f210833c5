/** Bodies that are made to confuse, to overflow or to reach the store. */
import { expect, it } from 'vitest';
import { balanceOf, chatBody, chatText, get, historyOf, openService, post } from '../helpers.js';

const chatPath = '/v1/chat/completions';
const hello = chatBody('hello');

it('ambiguous bodies are billed for what they get: the last of two equal names', async () => {
  const service = openService();
  const body = `{"model":"local/guide","model":"echo:economy","max_tokens":1000,"max_tokens":1,
      "messages":[],"messages":[{"role":"assistant","role":"user","content":"no","content":"hello"}]}`;
  expect(await (await post(service, chatPath, body)).json()).toMatchObject({
    model: 'local/echo:economy',
    choices: [{ message: { content: 'hell' } }],
  });
  expect(await historyOf(service)).toMatchObject([{ model: 'local/echo', route: ':economy' }]);
});

it.each([
  ['max_tokens', '1e400'],
  ['max_tokens', '1e308'],
  ['max_tokens', '9007199254740993'],
  ['temperature', '1e400'],
  ['n', '1e400'],
])('ambiguous bodies never change the price: %s %s', async (name, value) => {
  const service = openService();
  const body = JSON.stringify(hello).replace('{', `{"${name}":${value},`);
  const response = await post(service, chatPath, body);
  expect([200, 400]).toContain(response.status);
  expect(await balanceOf(service)).toBe(response.ok ? 999.99992 : 1000);
});

const poison = '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}';

it.each([
  [chatPath, `{"model":"echo",${poison},"messages":[{"role":"user","content":"hello",${poison}}]}`],
  [
    chatPath,
    `{"model":"echo","messages":[{"role":"user","content":"act"}],"tools":[{"type":"function",
        "function":{"name":"act","parameters":{${poison},"properties":{${poison}}}}}]}`,
  ],
])('ambiguous bodies poison no prototype: %s', async (path, body) => {
  const service = openService();
  const names = Object.getOwnPropertyNames(Object.prototype);
  const response = await post(service, path, body);
  expect(response.status).toBe(200);
  await response.text();
  expect(Reflect.get({}, 'polluted')).toBeUndefined();
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(names);
});

it('ambiguous bodies get the very property that a schema asks for, whatever its name', async () => {
  const schema = `{"type":"object","required":["__proto__","constructor"],"properties":
      {"__proto__":{"const":1},"constructor":{"const":2}},"additionalProperties":false}`;
  const format = `{"type":"json_schema","json_schema":{"name":"x","schema":${schema}}}`;
  const body = JSON.stringify(hello).replace('{', `{"response_format":${format},`);
  const text = await chatText(await post(openService(), chatPath, body));
  expect(text).toBe('{"__proto__":1,"constructor":2}');
});

const nasty = [
  `' OR '1'='1`,
  `'; DROP TABLE usage; --`,
  `x' UNION SELECT * FROM keys --`,
  '%',
  '?1',
  '\\',
  'a\u0000b',
  '\ud800',
  'gen_' + 'x'.repeat(7000),
];

it.each(nasty)('texts that reach the store are only texts: %j', async (text) => {
  const service = openService();
  const paid = await post(service, chatPath, hello);
  const id = paid.headers.get('x-svc-generation-id') ?? '';
  const before = await historyOf(service);
  // A lone surrogate cannot be in a URL.
  const encoded = encodeURIComponent(text.replace('\ud800', '%'));
  expect((await get(service, `/v1/generations/${encoded}`)).status).toBe(404);
  expect((await get(service, `/v1/generations/${id}${encoded}`)).status).toBe(404);
  expect((await get(service, `/v1/generations/${encoded}${id}`)).status).toBe(404);
  for (const name of ['dateFrom', 'dateTo', 'page', 'limit']) {
    expect((await get(service, `/v1/generations?${name}=${encoded}`)).status, name).toBe(400);
  }
  expect((await post(service, chatPath, { ...hello, model: text })).status).toBe(404);
  const model = `local/echo:${text}`;
  expect((await post(service, chatPath, { ...hello, model })).status).toBe(404);
  expect(await historyOf(service)).toEqual(before);
  const user = { ...hello, user: text, messages: [{ role: 'user', content: text }] };
  expect(await chatText(await post(service, chatPath, user))).toBe(text);
  expect((await get(service, `/v1/generations/${id}`)).status).toBe(200);
  expect(await historyOf(service)).toHaveLength(2);
});
