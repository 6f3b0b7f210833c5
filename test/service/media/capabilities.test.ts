import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { MediaCatalog } from '../../../src/contract/media.js';
import { ModelCapabilities } from '../../../src/contract/models.js';
import { get } from '../helpers.js';
import { open } from './helpers.js';
import { probe } from './probe.js';

const Capability = z.looseObject({
  id: z.string(),
  availability: z.literal('available'),
  price: z.looseObject({ status: z.literal('exact'), fromRub: z.number() }),
  operations: z.array(z.looseObject({ requestJsonSchema: z.looseObject({}) })),
  requestJsonSchema: z.looseObject({}),
  providerVariants: z.array(z.looseObject({ alias: z.string() })),
});

async function pageOf(query = '', opened = open()) {
  const response = await get(opened.service, `/v1/model-capabilities${query}`);
  expect(response.status).toBe(200);
  const page = ModelCapabilities.parse(await response.json());
  return { ...page, models: z.array(Capability).parse(page.models) };
}

it('GET /v1/model-capabilities shows every model on one page', async () => {
  const { models, pagination, stores_data_in_russia } = await pageOf();
  expect(models.map(({ id }) => id)).toEqual(
    expect.arrayContaining(['local/canvas', 'local/tune', 'local/voice']),
  );
  const total = models.length;
  expect(pagination).toEqual({ page: 1, pageSize: 20, total, totalPages: 1 });
  expect(stores_data_in_russia).toBeNull();
});

it('GET /v1/model-capabilities says how each model is reached, and whether it has a price', async () => {
  const { models } = await pageOf('', open({ mediaModels: probe().models }));
  expect(models.map(({ id }) => id)).toEqual(['local/canvas', 'local/probe']);
  for (const { providerVariants } of models) {
    expect(providerVariants.find(({ alias }) => alias === ':closed')).toMatchObject({
      availability: 'unavailable',
      priceStatus: 'unavailable',
    });
  }
  const sounds = ['audio_url', 'audio_base64', 'audio_file_id'];
  const oneOf = [...sounds, 'image_url', 'image_base64', 'image_file_id'];
  expect(models[1]).toMatchObject({
    conditionalRequirements: [{ purpose: 'what to send back', oneOf }],
    requestSchema: { loud: { type: 'boolean' } },
  });
});

it('GET /api/media-catalog shows the models to anyone', async () => {
  const { service } = open({ mediaModels: probe().models });
  const response = await get(service, '/api/media-catalog', null);
  const catalog = MediaCatalog.parse(await response.json());
  expect(catalog).toMatchObject({
    pricesArePlaceholder: false,
    pricesAreEstimate: false,
    videoDisabled: false,
  });
  expect(catalog.models).toMatchObject([
    {
      id: 'local/canvas',
      kind: 'image',
      fromRub: 0.6,
      axes: ['quality', 'size', 'aspect_ratio', 'n'],
      params: ['size', 'aspect_ratio', 'quality', 'n', 'seed'],
    },
    { id: 'local/probe', kind: 'audio', fromRub: 1 },
  ]);
});
