import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { ModelList } from '../../src/contract/models.js';
import { get, openService } from './helpers.js';

async function ids(query: string): Promise<string[]> {
  const response = await get(openService(), `/v1/models${query}`);
  return ModelList.parse(await response.json()).data.map(({ id }) => id);
}

const plain = ['local/guide', 'local/echo', 'local/script'];

describe('GET /v1/models', () => {
  it('gives one id per model', async () => {
    expect(await ids('')).toEqual(plain);
    expect(await ids('?variants=0')).toEqual(plain);
    expect(await ids('?all=true')).toEqual(plain);
  });

  it('adds the pinned forms with variants=1', async () => {
    expect(await ids('?variants=1')).toEqual(
      plain.flatMap((id) => [id, `${id}:standard`, `${id}:economy`]),
    );
  });

  it('selects by type', async () => {
    expect(await ids('?type=text')).toEqual(plain);
    expect(await ids('?type=image')).toEqual([]);
  });

  it('says type, modalities and addresses of each', async () => {
    const reply: unknown = await (await get(openService(), '/v1/models')).json();
    expect(reply).toMatchObject({
      object: 'list',
      data: [
        {
          id: 'local/guide',
          object: 'model',
          type: 'text',
          modalities: { input: ['text', 'image'], output: ['text'] },
          addresses: ['local/guide:standard', 'local/guide:economy'],
        },
        {},
        {},
      ],
    });
  });

  it('lists everything under /v1/models/all', async () => {
    const reply = await (await get(openService(), '/v1/models/all')).json();
    expect(ModelList.parse(reply).data).toHaveLength(9);
  });
});

describe('GET /v1/models/{id}', () => {
  it.each([
    ['local%2Fecho', 'local/echo'],
    ['echo', 'local/echo'],
    ['echo:economy', 'local/echo:economy'],
    ['local%2Fecho%3Astandard', 'local/echo:standard'],
  ])('finds %s', async (asked, id) => {
    const response = await get(openService(), `/v1/models/${asked}`);
    expect(await response.json()).toMatchObject({ id, object: 'model' });
  });

  it.each(['nope', 'echo:gold', 'other%2Fecho'])('does not find %s', async (asked) => {
    expect((await get(openService(), `/v1/models/${asked}`)).status).toBe(404);
  });
});

describe('prices', () => {
  const Price = z.looseObject({
    inputRubPerMillionTokens: z.number(),
    outputRubPerMillionTokens: z.number(),
  });

  it('are the same in pricing, catalog and models, and what calls are charged', async () => {
    const service = openService();
    const pricing: unknown = await (await get(service, '/v1/pricing')).json();
    const Pricing = z.looseObject({
      tools: z.array(z.unknown()),
      data: z.array(z.extend(Price, { id: z.string(), variant: z.string() })),
    });
    const { data } = Pricing.parse(pricing);
    expect(data).toHaveLength(6);
    const Catalog = z.array(
      z.looseObject({ id: z.string(), variants: z.array(z.extend(Price, { alias: z.string() })) }),
    );
    const catalog = Catalog.parse(await (await get(service, '/api/catalog', null)).json());
    for (const { id, variant, inputRubPerMillionTokens, outputRubPerMillionTokens } of data) {
      const prices = { inputRubPerMillionTokens, outputRubPerMillionTokens };
      const listed = catalog.find((model) => model.id === id)?.variants;
      expect(listed?.find(({ alias }) => alias === variant)).toMatchObject(prices);
      const model: unknown = await (
        await get(service, `/v1/models/${encodeURIComponent(id + variant)}`)
      ).json();
      expect(model).toMatchObject({ pricing: prices });
    }
    const echo = data.find(({ id, variant }) => id === 'local/echo' && variant === ':standard');
    expect(echo).toMatchObject({ inputRubPerMillionTokens: 20, outputRubPerMillionTokens: 20 });
  });
});
