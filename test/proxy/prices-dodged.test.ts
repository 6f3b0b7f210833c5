import { describe, expect, it } from 'vitest';
import { fakeService, json } from '../helpers/fake-service.js';
import { contextOver } from '../helpers/context.js';
import { testFolder } from '../helpers/folder.js';
import { clientFor, startProxy } from './rig.js';

/** 1,000 tokens of output cost 1 RUB, or 1,000 RUB; input costs a thousandth of that. */
const list = {
  data: [
    { id: 'vendor/m', inputRubPerMillionTokens: 1, outputRubPerMillionTokens: 1000 },
    { id: 'vendor/dear', inputRubPerMillionTokens: 1000, outputRubPerMillionTokens: 1_000_000 },
    { id: 'vendor/ch:cheap', inputRubPerMillionTokens: 1, outputRubPerMillionTokens: 1000 },
    { id: 'vendor/ch:dear', inputRubPerMillionTokens: 1, outputRubPerMillionTokens: 1_000_000 },
    { id: 'vendor/decide', type: 'decision', inputRubPerMillionTokens: 1 },
  ],
};

async function dodging(
  body: string | object,
  path = '/v1/chat/completions',
  headers = { 'content-type': 'application/json' },
) {
  const service = await fakeService((request, response) => {
    if (request.url.includes('pricing')) json(list)(request, response);
    else json({ id: 'c', choices: [] })(request, response);
  });
  const client = await clientFor(service.origin, { maxCost: 5 });
  const proxy = await startProxy(client);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const { status } = await proxy.ask(path, { method: 'POST', body: text, headers });
  const sent = service.requests.find(({ url }) => url === path)?.body;
  const leftRub = (await client.spending?.spendableRub()) ?? 0;
  return { status, sent, reservedRub: 5 - leftRub };
}

const messages = [{ role: 'user', content: 'hi' }];
const own = { model: 'vendor/m', messages, max_tokens: 1 };

describe('a limit of the answer counts', () => {
  it.each([
    ['of another format in chat', { max_output_tokens: 1, messages }, '/v1/chat/completions'],
    ['of another format in responses', { max_tokens: 1, input: 'x' }, '/v1/responses'],
    ['of another format in messages', { max_completion_tokens: 1, messages }, '/v1/messages'],
    ['of less than a token', { max_tokens: 0.001, messages }, '/v1/chat/completions'],
    ['below zero', { max_tokens: -5, messages }, '/v1/chat/completions'],
    [
      'in a text beside another',
      { max_tokens: 1, max_completion_tokens: '100000', messages },
      '/v1/chat/completions',
    ],
  ])('as none where it is one %s', async (_what, body, path) => {
    const { reservedRub, sent = '', status } = await dodging({ model: 'vendor/m', ...body }, path);
    expect(status).toBe(200);
    expect(reservedRub).toBeCloseTo(4.1, 6);
    expect(sent).toContain('4096');
    expect(sent).not.toContain('100000');
  });

  it('with what the model may think, where that is more', async () => {
    for (const more of [{ thinking: { budget_tokens: 5000 } }, { reasoning: { max_tokens: 5000 } }])
      expect(await dodging({ ...own, ...more })).toMatchObject({ status: 402, sent: undefined });
    const { reservedRub } = await dodging({
      ...{ ...own, max_tokens: 2000 },
      thinking: { type: 'enabled', budget_tokens: 1900 },
    });
    expect(reservedRub).toBeCloseTo(2.01, 2);
  });
});

describe('a field with two names, or two values', () => {
  it('is sent with the value that was priced', async () => {
    const twice = `{"model":"vendor/dear","model":"vendor/m","max_tokens":100000,"max_tokens":1,"messages":[{"role":"user","content":"long","content":"hi"}]}`;
    const { sent, status } = await dodging(twice);
    expect(status).toBe(200);
    expect(sent).toBe(JSON.stringify({ ...{ model: 'vendor/m', max_tokens: 1 }, messages }));
    const input = '{"model":"vendor/dear","model":"vendor/m","input":"x"}';
    const embedding = await dodging(input, '/v1/embeddings');
    expect(embedding.sent).toBe('{"model":"vendor/m","input":"x"}');
    const job = '{"model":"vendor/m","prompt":"x","max_price_rub":900,"max_price_rub":1}';
    const { sent: sentJob } = await dodging(job, '/api/media/generate');
    expect(sentJob).toBe('{"model":"vendor/m","prompt":"x","max_price_rub":1}');
  });

  it('has no known price where only its case differs', async () => {
    for (const more of [{ MAX_TOKENS: 100000 }, { Model: 'vendor/dear' }, { N: 9 }])
      expect(await dodging({ ...own, ...more })).toMatchObject({ status: 402, sent: undefined });
  });

  it('leaves all other bodies byte for byte', async () => {
    const text = `{ "model":"vendor/m",\n "max_tokens":1, "x":[1.10,{"a":[],"b":{}}],"messages":${JSON.stringify(messages)}}`;
    expect(await dodging(text)).toMatchObject({ status: 200, sent: text });
  });
});

describe('no price is known', () => {
  const file = (part: object) => ({ ...own, messages: [{ role: 'user', content: [part] }] });

  it.each<[string, string | object, string?]>([
    ['without a model', { messages, max_tokens: 1 }],
    ['of a model in a list', { ...own, model: ['vendor/dear'] }],
    ['of an empty name', { ...own, model: '' }],
    ['behind a byte order mark', `\ufeff${JSON.stringify(own)}`],
    ['of JSON with a comment', `{"model":"vendor/dear",/**/"input":"x"}`, '/v1/embeddings'],
    ['of no JSON', 'model=vendor/dear', '/v1/embeddings'],
    ['of other models to fall back to', { ...own, models: ['vendor/dear'] }],
    ['of a search', { ...own, web_search_options: {} }],
    ['of plugins', { ...own, plugins: [{ id: 'web' }] }],
    ['of tools in a record', { ...own, tools: { a: { type: 'web_search' } } }],
    ['of servers', { ...own, mcp_servers: [{ type: 'url' }] }, '/v1/messages'],
    ['of a faster answer', { ...own, service_tier: 'priority' }],
    ['of speech', { ...own, modalities: ['text', 'audio'] }],
    ['of a count that is none', { ...own, n: 'many' }],
    ['of a file elsewhere', file({ type: 'file', file: { file_id: 'f' } })],
    ['of a document', file({ type: 'document', source: { type: 'url', url: 'x' } })],
    [
      'of an earlier answer',
      { model: 'vendor/m', input: 'x', max_output_tokens: 1, previous_response_id: 'r' },
      '/v1/responses',
    ],
    ['of a job with a limit in a list', { ...own, max_price_rub: [] }, '/api/media/generate'],
  ])('%s', async (_what, body, path) => {
    expect(await dodging(body, path)).toMatchObject({ status: 402, sent: undefined });
  });
});

describe('the price is', () => {
  it('that of all answers, at least one', async () => {
    const one = { ...own, max_tokens: 1000 };
    for (const n of [0, -0.001, null])
      expect((await dodging({ ...one, n })).reservedRub).toBeCloseTo(1.01, 2);
    expect((await dodging({ ...one, n: '9' })).status).toBe(402);
  });

  it('that of a text, whatever type its message says it has', async () => {
    const content = 'word '.repeat(100_000);
    const { reservedRub } = await dodging({
      ...own,
      type: 'image',
      messages: [{ role: 'user', type: 'image_url', content }],
    });
    expect(reservedRub).toBeGreaterThan(0.25);
  });

  it('that of the dearest channel, where two are named', async () => {
    const body = { ...own, max_tokens: 1000 };
    expect((await dodging({ ...body, model: 'vendor/ch:cheap' })).status).toBe(200);
    expect((await dodging({ ...body, model: 'vendor/ch:cheap:dear' })).status).toBe(402);
  });
});

describe('a form', () => {
  const part = (name: string, value: string, file = '') =>
    `--b\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n${value}\r\n`;

  it.each([
    ['two models', part('model', 'vendor/dear') + part('model', 'vendor/m') + part('file', 'a')],
    [
      'two recordings',
      part('model', 'vendor/m') +
        part('x', 'a', '; filename="a.wav"') +
        part('file', 'long', '; filename="b.wav"'),
    ],
    ['no model', part('file', 'a', '; filename="a.wav"')],
  ])('with %s has no known price', async (_what, parts) => {
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const path = '/v1/audio/transcriptions';
    expect(await dodging(`${parts}--b--\r\n`, path, headers)).toMatchObject({
      status: 402,
      sent: undefined,
    });
  });
});

it('a key that is used again for a dearer job reserves the difference in the budget', async () => {
  let isCut = true;
  const service = await fakeService((request, response) => {
    const isDear = request.body.includes('dear');
    if (request.url.includes('price')) json({ priceRub: isDear ? 8 : 1 })(request, response);
    else if (isCut) response.destroy();
    else json({ ok: true, jobId: 'job_1', status: 'processing' }, 202)(request, response);
  });
  const env = { ...service.env, SVC_CONFIG_DIR: testFolder(), SVC_BUDGET: '10' };
  const client = await contextOver({ env }).context.client();
  const proxy = await startProxy(client);
  const headers = { 'idempotency-key': 'one' };
  const body = { model: 'vendor/m', prompt: 'cheap' };
  expect((await proxy.post('/api/media/generate', body, { headers })).status).toBe(400);
  expect(await client.spending?.spendableRub()).toBe(9);
  isCut = false;
  const dear = { ...body, prompt: 'dear' };
  expect((await proxy.post('/api/media/generate', dear, { headers })).status).toBe(202);
  expect(await client.spending?.spendableRub()).toBe(2);
  expect((await proxy.post('/api/media/generate', dear, { headers })).status).toBe(202);
  expect((await proxy.post('/api/media/generate', dear)).status).toBe(402);
});
