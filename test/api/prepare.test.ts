import { describe, expect, it } from 'vitest';
import { call, request } from '../../src/api/call.js';
import { getBalance, listUsage } from '../../src/contract/billing.js';
import { createChatCompletion } from '../../src/contract/chat.js';
import { getCatalog, getModel } from '../../src/contract/models.js';
import { ConfigError, UsageError } from '../../src/errors.js';
import { rejection } from '../http/rig.js';
import { clientOver, json, key } from './client.js';
import { completion, idempotentRow, question } from './rows.js';

describe('what a call sends', () => {
  it('goes to the path below the base URL, with the key, and nowhere else', async () => {
    const client = clientOver([json({ balance_rub: 5 })]);
    await call(client, getBalance, {});
    const authorization = `Bearer ${key}`;
    expect(client.requests[0]).toMatchObject({
      method: 'GET',
      headers: { accept: 'application/json', 'user-agent': 'svc-cli/test', authorization },
      body: undefined,
    });
    expect(client.requests[0]?.url.href).toBe('https://service.test/base/v1/balance');
  });

  it('contains its path parameters, whatever their characters', async () => {
    const client = clientOver([json({})]);
    await call(client, getModel, { params: { id: 'vendor/модель?a=1#b%2e' } });
    expect(client.requests[0]?.url.pathname).toBe(
      '/base/v1/models/vendor%2F%D0%BC%D0%BE%D0%B4%D0%B5%D0%BB%D1%8C%3Fa%3D1%23b%252e',
    );
    expect(client.requests[0]?.url.search).toBe('');
  });

  it('gets a longer first-byte limit when the answer is made while it waits', async () => {
    const client = clientOver([json(completion)]);
    await call(client, createChatCompletion, { body: question });
    await request(client, createChatCompletion, { body: { ...question, stream: true } });
    await call({ ...client, timeouts: { firstByteMs: 5 } }, createChatCompletion, {
      body: question,
    });
    const waits = client.requests.map(({ timeouts }) => timeouts.firstByteMs);
    expect(waits).toEqual([600_000, 60_000, 5]);
    expect(client.requests[0]?.timeouts).toMatchObject({ connectMs: 10_000, idleMs: 60_000 });
  });
});

describe('an error before anything is sent', () => {
  const sentNothing = async (
    act: (client: ReturnType<typeof clientOver>) => Promise<unknown>,
    more: Parameters<typeof clientOver>[1] = {},
  ) => {
    const client = clientOver([json({})], more);
    const error = await rejection(act(client));
    expect(client.requests).toEqual([]);
    return error;
  };

  it('is one sentence that names the field', async () => {
    const body = { ...question, temperature: 3 };
    const error = await sentNothing((client) => call(client, createChatCompletion, { body }));
    expect(error).toMatchObject({ name: 'UsageError', message: 'temperature must be at most 2' });
    const query = { limit: 101 };
    const other = await sentNothing((client) => call(client, listUsage, { query }));
    expect(other).toMatchObject({ name: 'UsageError', message: 'limit must be at most 100' });
  });

  it('may be a path parameter that leads elsewhere', async () => {
    for (const id of ['', '.', '..']) {
      const error = await sentNothing((client) => call(client, getModel, { params: { id } }));
      expect(error, id).toBeInstanceOf(UsageError);
    }
  });

  it('may be a body that is larger than the service takes', async () => {
    const payload = { contentType: 'x/y', body: Buffer.alloc(41) };
    const input = { params: { name: 'n' }, body: {} };
    const error = await sentNothing((client) => call(client, idempotentRow, input, { payload }));
    expect(error).toMatchObject({ name: 'UsageError', code: 'payload_too_large' });
  });

  it('may be a header that cannot be sent, and its value is not shown', async () => {
    const input = { params: { name: 'n' }, body: {} };
    const wrong: Record<string, string>[] = [{ 'x-a': 'top\r\nsecret' }, { 'x a': 'top secret' }];
    for (const headers of wrong) {
      const error = await sentNothing((client) => call(client, idempotentRow, input, { headers }));
      expect(error).toBeInstanceOf(UsageError);
      expect(String(error)).not.toContain('secret');
    }
  });

  it('may be the key: missing, or invalid in a header', async () => {
    for (const wrong of [undefined, '', 'sk-svc-a\nb', 'sk-svc-ключ']) {
      const error = await sentNothing((client) => call(client, getBalance, {}), { key: wrong });
      expect(error, String(wrong)).toBeInstanceOf(ConfigError);
      const code = wrong ? 'bad_key' : 'no_key';
      expect(error).toMatchObject({ code, hint: expect.stringContaining('svc login') });
    }
  });

  it('may be a connection on which others would see the key', async () => {
    const baseUrl = new URL('http://service.test');
    const error = await sentNothing((client) => call(client, getBalance, {}), { baseUrl });
    expect(error).toMatchObject({
      name: 'ConfigError',
      code: 'cleartext_key',
      hint: 'http is only for this machine: use an https base URL: `svc config set base_url https://…`',
    });
    for (const safe of ['http://127.0.0.1:8080', 'http://[::1]', 'http://localhost']) {
      const client = clientOver([json({ balance_rub: 1 })], { baseUrl: new URL(safe) });
      await call(client, getBalance, {});
      expect(client.requests).toHaveLength(1);
    }
    const open = clientOver([json([])], { baseUrl });
    await call(open, getCatalog, {});
    expect(open.requests).toHaveLength(1);
  });
});
