/** The media models, their channels and lists (section 2.11). */
import type { mediaProviders } from '../../contract/enums.js';
import { capabilitiesPage } from '../../contract/limits.js';
import { getCapabilities } from '../../contract/models.js';
import { recordOf } from '../../lib/json.js';
import { json, type App, type Call, type Reply } from '../call.js';
import { findModel, type ModelRoute } from '../catalog.js';
import { ServiceFailure } from '../failure.js';
import { sourceNames } from './engines/define.js';
import type { MediaModel } from './engines/model.js';

export type MediaRoute = ModelRoute<MediaModel>;

export async function resolveMedia(app: App, name: string, status: 404 | 422): Promise<MediaRoute> {
  const models = await app.mediaModels();
  const match = findModel(name, models);
  if (match) return match;
  const code = status === 404 ? 'model_not_found' : 'unsupported_model';
  const known = models.map(({ id }) => id).join(', ');
  const message = `there is no media model ${JSON.stringify(name.slice(0, 100))}; there are ${known}`;
  throw new ServiceFailure(status, code, message, { param: 'model' });
}

export function assertOpen({ model, variant: { alias } }: MediaRoute): void {
  if (alias !== 'closed') return;
  const message = `the route ${model.id}:${alias} is temporarily unavailable; nothing was charged`;
  throw new ServiceFailure(503, 'route_unavailable', message, { headers: { 'retry-after': '1' } });
}

const providers: Readonly<Record<MediaModel['kind'], (typeof mediaProviders)[number]>> = {
  image: 'canvas',
  video: 'flow',
  audio: 'prime',
  music: 'prime',
  '3d': 'pixel',
};

/** The provider of a model, even of one that no longer exists. */
export function providerOf(models: readonly MediaModel[], id: string) {
  const model = models.find((one) => one.id === id);
  return providers[model?.kind ?? 'image'];
}

function optionsOf({ requestJsonSchema }: MediaModel): Readonly<Record<string, unknown>> {
  const { opts } = recordOf(requestJsonSchema['properties']);
  return recordOf(recordOf(opts)['properties']);
}

export async function catalog({ app }: Call): Promise<Reply> {
  const models = await app.mediaModels();
  return json({
    pricesArePlaceholder: false,
    pricesAreEstimate: false,
    videoDisabled: false,
    models: models.map((model) => ({
      id: model.id,
      kind: model.kind,
      title: model.title,
      description: model.summary,
      variants: model.variants.map(({ alias }) => ({
        id: `${model.id}:${alias}`,
        alias: `:${alias}`,
      })),
      params: Object.keys(optionsOf(model)),
      fromRub: model.fromRub,
      axes: model.priceAxes,
    })),
  });
}

const generateFields = ['prompt', 'opts', 'strict', 'quote_id', 'max_price_rub', 'webhook_url'];

/** GET /v1/model-capabilities: each model's options and lowest price. */
export async function capabilities(call: Call): Promise<Reply> {
  const { page = 1, pageSize = Math.min(20, capabilitiesPage.max) } = call.query(
    getCapabilities.query,
  );
  const models = await call.app.mediaModels();
  const total = models.length;
  const shown = models.slice((page - 1) * pageSize, page * pageSize);
  return json({
    models: shown.map(capability),
    pagination: { page, pageSize, total, totalPages: Math.ceil(total / pageSize) },
    stores_data_in_russia: null,
    supported_parameters: {
      '/v1/images/generations': supported('n', 'size', 'quality', 'response_format', 'user'),
      '/v1/audio/speech': supported('input', 'voice', 'response_format', 'speed'),
      '/v1/audio/transcriptions': supported('file', 'language'),
      '/api/media/generate': supported(...generateFields),
    },
  });
}

function supported(...names: string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, 'supported']));
}

function capability(model: MediaModel) {
  const { id, kind, title, summary, requestJsonSchema, fromRub, priceAxes } = model;
  const opts = optionsOf(model);
  const conditionalRequirements = model.slots.map((slot) => ({
    purpose: slot.purpose,
    oneOf: sourceNames(slot),
  }));
  const request = { requestJsonSchema, requestSchema: opts, conditionalRequirements };
  return {
    id,
    object: 'model',
    type: kind,
    kind,
    title,
    description: summary,
    provider: providers[kind],
    availability: 'available',
    price: { status: 'exact', currency: 'RUB', fromRub, axes: priceAxes },
    operations: [{ id: 'generate', method: 'POST', path: '/api/media/generate', ...request }],
    ...request,
    providerVariants: model.variants.map(({ alias, summary: description }) => ({
      ...{ id: `${id}:${alias}`, alias: `:${alias}`, provider: providers[kind], description },
      availability: alias === 'closed' ? 'unavailable' : 'available',
      priceStatus: alias === 'closed' ? 'unavailable' : 'exact',
    })),
    supported_parameters: supported(...Object.keys(opts)),
  };
}
