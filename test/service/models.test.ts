import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { ModelList } from '../../src/contract/models.js';
import { get, openService, read } from './helpers.js';
import { probe } from './media/probe.js';

/** A service with two media models, one of images and one of audio. */
const withMedia = () => openService({ mediaModels: probe().models });

async function ids(query: string): Promise<string[]> {
  const response = await get(withMedia(), `/v1/models${query}`);
  return ModelList.parse(await response.json()).data.map(({ id }) => id);
}

const text = ['local/guide', 'local/echo', 'local/script'];
const plain = [...text, 'local/embed', 'local/decide'];
const full = plain.flatMap((id) => [
  ...[id, `${id}:standard`, `${id}:economy`],
  ...(id === 'local/decide' ? [`${id}:failing`, `${id}:stalling`] : []),
]);
const media = ['local/canvas', 'local/probe'];
const mediaChannels = ['standard', 'failing', 'uncertain', 'refusing', 'closed'];
const withChannels = (id: string) => [id, ...mediaChannels.map((alias) => `${id}:${alias}`)];

it.each([
  ['', plain],
  ['?variants=0', plain],
  ['?variants=1', full],
  ['?all=true', [...plain, ...media]],
  ['?all=1&variants=1&type=audio', withChannels('local/probe')],
  ['?type=text', text],
  ['?type=text&all=true', text],
  ['?type=embedding', ['local/embed']],
  ['?type=decision&all=1', ['local/decide']],
  ['?type=image', ['local/canvas']],
  ['?type=image&variants=1', withChannels('local/canvas')],
  ['?type=video', []],
  ['?type=other', []],
  ['/all', [...full, ...media.flatMap(withChannels)]],
])('GET /v1/models with %j lists its models', async (query, found) => {
  expect(await ids(query)).toEqual(found);
});

it('GET /v1/models says type, modalities and addresses of each', async () => {
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
      { type: 'text' },
      { type: 'text' },
      { type: 'embedding', modalities: { input: ['text'], output: ['embedding'] } },
      { type: 'decision', modalities: { input: ['text'], output: ['decision'] } },
    ],
  });
});

it.each([
  ['local/echo', 'local/echo'],
  ['echo', 'local/echo'],
  ['echo:economy', 'local/echo:economy'],
  ['decide:failing', 'local/decide:failing'],
  ['local%2Fecho%3Astandard', 'local/echo:standard'],
])('GET /v1/models/{id} finds %s', async (asked, id) => {
  const response = await get(withMedia(), `/v1/models/${asked}`);
  expect(await response.json()).toMatchObject({ id, object: 'model' });
});

it.each(['local/nobody', 'local/', '/echo', 'local/echo/', 'a/b/c', 'all/x', 'local/%zz'])(
  'GET /v1/models/{id} has none at %s',
  async (path) => {
    expect((await get(openService(), `/v1/models/${path}`)).status).toBe(404);
  },
);

const Price = z.looseObject({
  inputRubPerMillionTokens: z.number(),
  outputRubPerMillionTokens: z.number(),
});

it('prices are the same in pricing, catalog and models, and what calls are charged', async () => {
  const service = openService();
  const pricing: unknown = await (await get(service, '/v1/pricing')).json();
  const Pricing = z.looseObject({
    tools: z.array(z.unknown()),
    data: z.array(z.extend(Price, { id: z.string(), variant: z.string() })),
  });
  const { data } = Pricing.parse(pricing);
  expect(data).toHaveLength(12);
  const Catalog = z.array(
    z.looseObject({ id: z.string(), variants: z.array(z.extend(Price, { alias: z.string() })) }),
  );
  const catalog = await read(get(service, '/api/catalog', null), Catalog);
  for (const { id, variant, inputRubPerMillionTokens, outputRubPerMillionTokens } of data) {
    const prices = { inputRubPerMillionTokens, outputRubPerMillionTokens };
    const listed = catalog.find((model) => model.id === id)?.variants;
    // The public catalog is of text models alone.
    if (listed) expect(listed.find(({ alias }) => alias === variant)).toMatchObject(prices);
    else expect(text).not.toContain(id);
    const model: unknown = await (
      await get(service, `/v1/models/${encodeURIComponent(id + variant)}`)
    ).json();
    expect(model).toMatchObject({ pricing: prices });
  }
  const echo = data.find(({ id, variant }) => id === 'local/echo' && variant === ':standard');
  expect(echo).toMatchObject({ inputRubPerMillionTokens: 20, outputRubPerMillionTokens: 20 });
});

it('prices are listed for every way to search, and turbo is the same for any number of results', async () => {
  const reply: unknown = await (await get(openService(), '/v1/pricing')).json();
  expect(reply).toMatchObject({
    tools: [
      { tool: 'web_search', mode: 'turbo', rubPerRequest: 0.3, rubPerResult: 0 },
      { tool: 'web_search', mode: 'base', rubPerRequest: 0.3, rubPerResult: 0.03 },
      { tool: 'web_search', mode: 'pro', rubPerRequest: 0.6, rubPerResult: 0.06 },
    ],
  });
});

it('GET /api/catalog is an array of the text models, for anyone', async () => {
  const reply: unknown = await (await get(openService(), '/api/catalog', null)).json();
  expect(reply).toMatchObject(
    text.map((id) => ({
      id,
      contextTokens: expect.any(Number),
      variants: [{ alias: ':standard' }, { alias: ':economy' }],
    })),
  );
});
