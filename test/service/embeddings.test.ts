import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { EmbeddingReply } from '../../src/contract/embeddings.js';
import type { Service } from '../../src/service/service.js';
import { balanceOf, get, openService, post, read } from './helpers.js';

const path = '/v1/embeddings';
const model = 'local/embed';

const Reply = z.extend(EmbeddingReply, {
  data: z.array(
    z.strictObject({
      object: z.literal('embedding'),
      index: z.number(),
      embedding: z.union([z.array(z.number()), z.string()]),
    }),
  ),
});

async function vectors(service: Service, body: object) {
  const { data } = await read(post(service, path, { model, ...body }), Reply);
  return data.map(({ embedding }) => embedding);
}

it('POST /v1/embeddings gives a text its vector, and reports the tokens', async () => {
  const response = await post(openService(), path, { model, input: 'hello there' });
  const reply = Reply.parse(await response.json());
  expect(reply).toMatchObject({
    object: 'list',
    model: 'local/embed',
    data: [{ object: 'embedding', index: 0 }],
    usage: { prompt_tokens: 3, total_tokens: 3 },
  });
  const vector = z.array(z.number()).parse(reply.data[0]?.embedding);
  expect(vector).toHaveLength(512);
  expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
});

it('POST /v1/embeddings writes the same numbers in base64, as 32-bit floats with the lowest byte first', async () => {
  const service = openService();
  const input = ['first text', 'второй текст'];
  const floats = await vectors(service, { input, encoding_format: 'float' });
  const encoded = await vectors(service, { input, encoding_format: 'base64' });
  const decoded = encoded.map((text) => {
    const bytes = Buffer.from(z.string().parse(text), 'base64');
    expect(bytes).toHaveLength(512 * 4);
    return Array.from({ length: 512 }, (_, i) => bytes.readFloatLE(i * 4));
  });
  expect(decoded).toEqual(floats.map((one) => z.array(z.number()).parse(one).map(Math.fround)));
});

it('POST /v1/embeddings is charged by its tokens and recorded under its channel', async () => {
  const service = openService({ openingBalanceRub: 1 });
  const body = { model: 'embed:economy', input: ['x'.repeat(4000), 'y'] };
  const response = await post(service, path, body);
  expect(await response.json()).toMatchObject({
    model: 'local/embed:economy',
    usage: { prompt_tokens: 1001 },
  });
  expect(await balanceOf(service)).toBe(1 - 0.001001);
  const id = response.headers.get('x-svc-generation-id') ?? '';
  expect(await (await get(service, `/v1/generations/${id}`)).json()).toMatchObject({
    model: 'local/embed',
    route: ':economy',
    promptTokens: 1001,
    completionTokens: 0,
    priceRub: 0.001001,
  });
});

it.each([
  ['an empty text', { model, input: '' }],
  ['no texts', { model, input: [] }],
  ['more texts than one call takes', { model, input: Array.from({ length: 2049 }, () => 'a') }],
  ['a text of too many tokens', { model, input: 'a'.repeat(8192 * 4 + 1) }],
  ['too many tokens in all', { model, input: Array.from({ length: 37 }, () => 'a'.repeat(32768)) }],
  ['vectors of another size', { model, input: 'a', dimensions: 256 }],
  ['a model that chats', { model: 'local/echo', input: 'a' }],
])('POST /v1/embeddings refuses %s and charges nothing', async (_, body) => {
  const service = openService();
  expect((await post(service, path, body)).status).toBe(400);
  expect(await balanceOf(service)).toBe(1000);
});

it('POST /v1/embeddings accepts the maximum of texts with the maximum of tokens', async () => {
  const input = Array.from({ length: 2048 }, (_, i) => `text ${i}`);
  expect(await vectors(openService(), { input })).toHaveLength(2048);
  expect(await vectors(openService(), { input: 'ab '.repeat(8192) })).toHaveLength(1);
});
