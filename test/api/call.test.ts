import { describe, expect, it } from 'vitest';
import { call, request, requestPath, unlistedRow } from '../../src/api/call.js';
import { getBalance } from '../../src/contract/billing.js';
import { createChatCompletion } from '../../src/contract/chat.js';
import { createImage } from '../../src/contract/images.js';
import { getCatalog } from '../../src/contract/models.js';
import { hurried, leftMs, withLimit, type Client } from '../../src/api/client.js';
import { UsageError } from '../../src/errors.js';
import { ManualClock } from '../helpers/manual-clock.js';
import { type Step } from '../helpers/scripted-transport.js';
import { rejection, textOf } from '../http/rig.js';
import { clientOver, json, key } from './client.js';
import { question } from './rows.js';

describe('what a call returns', () => {
  it('is the data with its ids, unknown fields included', async () => {
    const headers = {
      'x-svc-generation-id': 'g1',
      'x-svc-media-job-id': 'j1',
      'x-request-id': 'r1',
      'x-svc-model': 'm\u001b[31m',
    };
    const client = clientOver([json({ balance_rub: 5, future: { a: 1 } }, 200, headers)]);
    const reply = await call(client, getBalance, {});
    expect(reply.data).toEqual({ balance_rub: 5, future: { a: 1 } });
    expect(reply.status).toBe(200);
    expect(reply.ids).toEqual({
      requestId: 'r1',
      generationId: 'g1',
      jobId: 'j1',
      model: 'm [31m',
    });
  });

  it('is a stream or bytes as they come, once the status is one of success', async () => {
    const client = clientOver([{ body: 'data: x' }, json({ error: 'no' }, 402)]);
    const response = await request(client, createChatCompletion, { body: question });
    expect(await textOf(response)).toBe('data: x');
    expect(client.requests[0]?.headers['accept']).toContain('text/event-stream');
    const error = await rejection(request(client, createChatCompletion, { body: question }));
    expect(error).toMatchObject({ name: 'ApiError', status: 402 });
  });
});

it('all calls of a client share its limit of time, of which a hurried one has no more', async () => {
  const clock = new ManualClock();
  const client = withLimit({ ...clientOver([json({ balance_rub: 5 })]), clock }, 3000);
  clock.pass(60_000);
  await call(client, getBalance, {});
  clock.pass(2000);
  expect(leftMs(client)).toBe(1000);
  expect(leftMs(hurried(client, 5000))).toBe(1000);
  expect(leftMs(hurried(client, 500))).toBe(500);
  expect(leftMs(withLimit(client, 5000))).toBe(5000);
});

describe('a refusal under a status of success', () => {
  const refused = { ok: false, code: 'slots_full', message: 'no room', violations: [1] };
  const reported = { name: 'ApiError', status: 200, outcomeUnknown: false };
  const input = { body: { model: 'm', prompt: 'p' } };

  it('has the message of the service, although the call may be charged', async () => {
    const nested = { error: { message: 'no room', type: 'full' } };
    for (const [reply, details] of [
      [refused, { code: 'slots_full', fields: refused }],
      [nested, { code: 'full' }],
    ] as const) {
      const image = call(clientOver([json(reply)]), createImage, input);
      const message = 'no room';
      expect(await rejection(image)).toMatchObject({ ...reported, message, ...details });
    }
  });

  it('is also a refusal where any reply is accepted', async () => {
    const client = clientOver([json({ ok: false, message: 'no room' })]);
    expect(await rejection(call(client, getCatalog, {}))).toMatchObject({
      ...reported,
      message: 'no room',
    });
  });

  it('says nothing of an earlier attempt that may have been carried out', async () => {
    const page = { status: 502, headers: { 'content-type': 'text/html' }, body: '<html>' };
    const row = { ...createImage, retry: 'idempotent' } as const;
    const client = clientOver([page, json(refused)]);
    const error = await rejection(call(client, row, input));
    expect(error).toMatchObject({ ...reported, earlierUnknown: true });
  });
});

it('repeats a paid call after the rate limit of the service, but not after that of a gateway', async () => {
  const message = { error: { message: 'too many', type: 'rate_limit_error' } };
  const ask = (first: Step) => {
    const client = clientOver([first, json({ created: 1, data: [] })]);
    const asked = call(client, createImage, { body: { model: 'm', prompt: 'p' } });
    return { client, asked };
  };
  const own = ask(json(message, 429));
  await own.asked;
  expect(own.client.requests).toHaveLength(2);
  const page = ask({ status: 429, headers: { 'content-type': 'text/html' }, body: '<html>' });
  expect(await rejection(page.asked)).toMatchObject({
    message: 'the service answered 429 with an HTML page; it may have been carried out and charged',
    outcomeUnknown: true,
  });
  expect(page.client.requests).toHaveLength(1);
});

describe('a request to any path', () => {
  const ask = (client: Client, method: string, path: string) =>
    requestPath(client, { method, path, isKeyed: true }, unlistedRow(method), (response) =>
      Promise.resolve(response),
    );

  it('returns any status unchanged', async () => {
    const client = clientOver([json({ a: 1 }, 404)]);
    const response = await ask(client, 'PUT', '/v1/new?x=1');
    expect(response.status).toBe(404);
    expect(client.requests[0]?.url.href).toBe('https://service.test/base/v1/new?x=1');
    expect(client.requests[0]?.headers).toMatchObject({ authorization: `Bearer ${key}` });
  });

  it('never leaves the service', async () => {
    for (const path of ['@evil.test/', 'https://evil.test/', '.evil.test', '']) {
      const client = clientOver([json({})]);
      const error = await rejection(ask(client, 'GET', path));
      expect(error, path).toBeInstanceOf(UsageError);
      expect(client.requests).toEqual([]);
    }
    const client = clientOver([json({})]);
    await ask(client, 'GET', '//evil.test/../../x');
    expect(client.requests[0]?.url.origin).toBe('https://service.test');
  });
});

describe('an invalid reply', () => {
  const expected = 'instead of the expected reply';
  const deep = '['.repeat(10_000) + ']'.repeat(10_000);
  const endless = Array.from({ length: 20 }, () => Buffer.alloc(1024 * 1024, 32));
  it.each<[what: string, body: string | readonly Buffer[], encoding?: string]>([
    ['an HTML page', '<!doctype html><title>Hi</title>'],
    ['truncated JSON', '{"balance_rub":'],
    ['damaged JSON', '{"balance_rub":oops}'],
    ['text that is not JSON', 'hello'],
    [`nothing ${expected}`, ' '],
    [`JSON of an unexpected shape ${expected}`, '{"balance":5}'],
    ['a compressed body, which svc did not ask for', 'xx', 'gzip'],
    ['JSON that is nested too deeply', deep],
    ['JSON with too many values', `[${'{},'.repeat(600_000)}{}]`],
    ['more than 16 MiB', endless],
  ])('is reported as %s', async (what, body, encoding) => {
    const headers: Record<string, string> = encoding ? { 'content-encoding': encoding } : {};
    const error = await rejection(call(clientOver([{ body, headers }]), getBalance, {}));
    expect(error).toMatchObject({
      name: 'ApiError',
      message: `the service answered 200 with ${what}`,
      code: 'invalid_reply',
      status: 200,
      outcomeUnknown: false,
    });
  });

  it.each<[string, Step, object]>([
    ['of another shape', json({}), { name: 'ApiError', outcomeUnknown: true }],
    ['that breaks off', { body: '{"choices":[' }, { name: 'OutcomeUnknown' }],
    [
      'that is cut',
      { body: '{"cho', cut: 'truncated' },
      { name: 'OutcomeUnknown', hint: expect.stringContaining('svc usage list') },
    ],
  ])('%s may have been charged when the call is one that is', async (_, step, outcome) => {
    const asked = call(clientOver([step]), createChatCompletion, { body: question });
    expect(await rejection(asked)).toMatchObject(outcome);
  });
});
