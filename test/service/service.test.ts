import { expect, it } from 'vitest';
import { brandFrom } from '../../src/contract/brand.js';
import { describeOpenApi } from '../../src/contract/describe.js';
import { balanceOf, ask, get, keys, openService, post } from './helpers.js';

const hello = { model: 'local/echo', messages: [{ role: 'user', content: 'hello' }] };
const helloMessages = { ...hello, max_tokens: 100 };

it('the service answers HEAD as GET, without a body, and at / too, where programs look for a service', async () => {
  const service = openService();
  const head = (path: string, key: string) => ask(service, path, { method: 'HEAD', key });
  for (const path of ['/', '/?beta=true', '/v1/models?limit=1000&beta=true']) {
    const [headed, got] = [await head(path, keys.local), await get(service, path)];
    expect([headed.status, await headed.text()]).toEqual([200, '']);
    expect(headed.headers.get('content-length')).toBe(got.headers.get('content-length'));
  }
  expect((await head('/v1/models', 'wrong')).status).toBe(401);
  expect((await head('/v1/messages', keys.local)).status).toBe(405);
  expect((await post(service, '/', {})).status).toBe(404);
});

it('the service gives the id of the messages format under its own name, and in the body of a refusal', async () => {
  const response = await post(openService(), '/v1/messages', helloMessages, 'wrong');
  const id = response.headers.get('x-request-id');
  expect(response.headers.get('request-id')).toBe(id);
  expect(await response.json()).toEqual({
    type: 'error',
    error: {
      type: 'authentication_error',
      message: 'the key is not valid',
      code: 'invalid_api_key',
    },
    request_id: id,
  });
});

it('the service speaks the other refusals in the shape of the chat completions format', async () => {
  const response = await post(openService(), '/v1/responses', { model: 'nobody', input: 'x' });
  expect(response.status).toBe(404);
  expect(await response.json()).toEqual({
    error: {
      message: 'the model "nobody" does not exist; there are local/guide, local/echo, local/script',
      type: 'not_found_error',
      code: 'model_not_found',
      param: 'model',
    },
  });
});

it('the service takes its header, its keys and its paths from the brand', async () => {
  const service = openService({ brand: 'acme' });
  const response = await post(service, '/v1/chat/completions', hello, 'sk-acme-local');
  expect(response.status).toBe(200);
  expect(response.headers.get('x-acme-generation-id')).toMatch(/^gen_/);
  expect((await get(service, '/v1/balance', keys.local)).status).toBe(401);
});

it('the service reports its own fault without failing the caller’s process', async () => {
  const service = openService({ newId: () => 'a'.repeat(24) });
  expect((await post(service, '/v1/chat/completions', hello)).status).toBe(200);
  // The second record has the same id, which the store refuses.
  const second = await post(service, '/v1/chat/completions', hello);
  expect(second.status).toBe(500);
  expect(await second.json()).toMatchObject({ error: { code: 'internal_error' } });
  expect(await balanceOf(service)).toBe(999.99992);
});

it('the service takes the same key in two headers', async () => {
  const headers = { 'x-api-key': keys.local };
  expect((await ask(openService(), '/api/key/usage', { headers })).status).toBe(200);
});

it('GET /api/openapi serves the description that is derived from the rows, under the brand in use', async () => {
  const service = openService({ brand: 'acme' });
  const response = await get(service, '/api/openapi', 'sk-acme-local');
  const expected: unknown = JSON.parse(
    JSON.stringify(describeOpenApi({ brand: brandFrom('acme') })),
  );
  expect(await response.json()).toEqual(expected);
});
