/** Models, their prices and the public text catalog (sections 2.6, 4.2, 4.9 and 4.10). */
import * as z from 'zod/mini';
import { read } from './endpoint.js';
import { parameterSupport } from './enums.js';
import * as limits from './limits.js';
import { maybe, queryInteger, number, flag } from './fields.js';

/** Section 2.6: fields beyond id and object are not shown. */
const Model = z.looseObject({ id: z.string(), object: z.optional(z.string()) });
export const ModelList = z.looseObject({ object: z.optional(z.string()), data: z.array(Model) });

/** Section 4.2: variants=1 for the full list; type=image and all=true select media models. */
const ModelListQuery = z.looseObject({
  variants: z.optional(z.string()),
  type: z.optional(z.string()),
  all: z.optional(z.string()),
});

/** Section 2.11 describes the models in prose, not by fields. */
export const ModelCapabilities = z.looseObject({
  models: z.array(z.unknown()),
  pagination: maybe(
    z.looseObject({ page: number, pageSize: number, total: number, totalPages: number }),
  ),
  stores_data_in_russia: flag,
  supported_parameters: maybe(
    z.looseObject({}).check(z.describe(`Values: ${parameterSupport.join(' or ')}.`)),
  ),
});

/** Section 4.2 lists no query: the names are those of the reply's pagination. */
const CapabilitiesQuery = z.looseObject({
  page: z.optional(queryInteger({})),
  pageSize: z.optional(queryInteger(limits.capabilitiesPage)),
});

export const listModels = read('models.list', '/v1/models', '4.2', {
  summary: 'List the models',
  query: ModelListQuery,
  returns: ModelList,
});

export const listAllModels = read('models.all', '/v1/models/all', '4.10', {
  summary: 'List every model',
});

export const getModel = read('models.get', '/v1/models/{id}', '4.10', {
  summary: 'Show one model',
  openEnded: true,
  params: { id: 'a public id; its slash may be plain or encoded' },
  statuses: [200, 401, 404],
});

export const getCapabilities = read('models.capabilities', '/v1/model-capabilities', '4.2', {
  summary: 'Show the options of each media model',
  query: CapabilitiesQuery,
  returns: ModelCapabilities,
});

export const getPricing = read('models.pricing', '/v1/pricing', '4.2', {
  summary: 'Show current prices of text models and per-call surcharges',
  // Section 4.10: the body is not shown beyond data and tools.
  returns: z.looseObject({ data: z.optional(z.unknown()), tools: z.optional(z.unknown()) }),
});

export const getCatalog = read('models.catalog', '/api/catalog', '4.9', {
  summary: 'Show the public catalog of text models',
  auth: 'none',
  statuses: [200],
});
