/** What each media model takes, and what it costs at least (section 2.11). */
import { capabilitiesPage } from '../../contract/limits.js';
import { getCapabilities } from '../../contract/models.js';
import { json, type Call } from '../call.js';
import type { MediaModel } from './engines/types.js';
import { channels, optionsOf, providerOf } from './models.js';

const defaultPageSize = 20;

/** GET /v1/model-capabilities */
export async function capabilities(call: Call): Promise<Response> {
  const query = call.query(getCapabilities.query);
  const page = query.page ?? 1;
  const pageSize = query.pageSize ?? Math.min(defaultPageSize, capabilitiesPage.max);
  const models = await call.house.media.models();
  const shown = models.slice((page - 1) * pageSize, page * pageSize);
  return json({
    models: shown.map((model) => capability(models, model)),
    pagination: {
      page,
      pageSize,
      total: models.length,
      totalPages: Math.ceil(models.length / pageSize),
    },
    stores_data_in_russia: null,
    supported_parameters: {
      '/v1/images/generations': supported('n', 'size', 'quality', 'response_format', 'user'),
      '/v1/audio/speech': supported('input', 'voice', 'response_format', 'speed'),
      '/v1/audio/transcriptions': supported('file', 'language'),
      '/api/media/generate': supported(
        ...['prompt', 'opts', 'strict', 'quote_id', 'max_price_rub', 'webhook_url'],
      ),
    },
  });
}

function supported(...names: string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, 'supported']));
}

function capability(models: readonly MediaModel[], model: MediaModel) {
  const { id, kind, title, summary, requestJsonSchema, fromRub, priceAxes } = model;
  const opts = optionsOf(model);
  const conditionalRequirements = model.slots.map(({ kinds, purpose }) => ({
    purpose,
    oneOf: kinds.flatMap((source) =>
      ['url', 'base64', 'file_id'].map((form) => `${source}_${form}`),
    ),
  }));
  const request = { requestJsonSchema, requestSchema: opts, conditionalRequirements };
  return {
    id,
    object: 'model',
    type: kind,
    kind,
    title,
    description: summary,
    provider: providerOf(models, id),
    availability: 'available',
    price: { status: 'exact', currency: 'RUB', fromRub, axes: priceAxes },
    operations: [{ id: 'generate', method: 'POST', path: '/api/media/generate', ...request }],
    ...request,
    providerVariants: channels.map((channel) => ({
      id: `${id}:${channel.alias}`,
      alias: `:${channel.alias}`,
      provider: providerOf(models, id),
      description: channel.summary,
      availability: channel.alias === 'closed' ? 'unavailable' : 'available',
      priceStatus: channel.alias === 'closed' ? 'unavailable' : 'exact',
    })),
    supported_parameters: supported(...Object.keys(opts)),
  };
}
