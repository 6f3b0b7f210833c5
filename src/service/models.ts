/** Models, their prices, the public text catalog, and the service's description of itself. */
import { mediaKinds, searchModes } from '../contract/enums.js';
import { listModels } from '../contract/models.js';
import { json, type Call, type House } from './call.js';
import {
  chatModels,
  findModel,
  models,
  noModel,
  publicId,
  searchPrices,
  type Model,
  type Price,
  type Resolved,
} from './catalog.js';
import { toRub } from './money.js';

/**
 * GET /v1/models: one id per model for text, vectors and decisions; `variants=1` adds the pinned
 * ones, `type` selects those of a kind, also of media, and `all=true` adds media of every kind.
 */
export async function list(call: Call): Promise<Response> {
  const { variants, type, all } = call.query(listModels.query);
  const full = isOn(variants);
  const media =
    isOn(all) || mediaKinds.some((kind) => kind === type)
      ? await mediaEntries(call.house, full)
      : [];
  const every = [...textEntries(full), ...media];
  const data = type === undefined ? every : every.filter((one) => one.type === type);
  return json({ object: 'list', data });
}

/** GET /v1/models/all */
export async function listAll({ house }: Call): Promise<Response> {
  return json({
    object: 'list',
    data: [...textEntries(true), ...(await mediaEntries(house, true))],
  });
}

/** GET /v1/models/{id}; short forms and pinned ones name the same model. */
export async function show(call: Call): Promise<Response> {
  const id = call.param('id');
  const text = findModel(id, models);
  if (text) return json(entry(text));
  const { findMedia, mediaEntry } = await import('./media/models.js');
  const found = findMedia(await call.house.media.models(), id);
  if (!found) throw noModel(id, models);
  return json(mediaEntry(found, id.includes(':')));
}

function textEntries(full: boolean) {
  return models.flatMap((model) => [entry(standard(model)), ...(full ? pinned(model) : [])]);
}

async function mediaEntries({ media }: House, full: boolean) {
  const { mediaEntriesOf } = await import('./media/models.js');
  return mediaEntriesOf(await media.models(), full);
}

/** GET /v1/pricing */
export function pricing(): Response {
  const data = models.flatMap((model) =>
    model.variants.map(({ alias, price }) => ({
      id: model.id,
      variant: `:${alias}`,
      type: model.type,
      ...prices(price),
    })),
  );
  return json({ object: 'list', currency: 'RUB', data, tools: searchTools() });
}

/** What a search costs in each mode, on top of nothing: it is a call of its own. */
function searchTools() {
  return searchModes.map((mode) => ({
    id: `web_search:${mode}`,
    tool: 'web_search',
    mode,
    rubPerRequest: toRub(searchPrices[mode].perRequest),
    rubPerResult: toRub(searchPrices[mode].perResult),
  }));
}

/** GET /api/catalog */
export function catalog(): Response {
  return json(
    chatModels.map(({ id, summary, contextTokens, inputs, variants, storesDataInRussia }) => ({
      id,
      name: id,
      description: summary,
      contextTokens,
      modalities: { input: inputs, output: ['text'] },
      variants: variants.map(({ alias, price }) => ({
        id: `${id}:${alias}`,
        alias: `:${alias}`,
        ...prices(price),
      })),
      storesDataInRussia,
    })),
  );
}

function isOn(flag: string | undefined): boolean {
  return flag === '1' || flag === 'true';
}

function standard(model: Model): Resolved {
  return { model, variant: model.variants[0], pinned: false };
}

function pinned(model: Model) {
  return model.variants.map((variant) => entry({ model, variant, pinned: true }));
}

function entry(resolved: Resolved) {
  const { model, variant } = resolved;
  return {
    id: publicId(resolved),
    object: 'model',
    created: 0,
    owned_by: 'local',
    type: model.type,
    description: model.summary,
    context_length: model.contextTokens,
    modalities: { input: model.inputs, output: [model.type] },
    addresses: model.variants.map(({ alias }) => `${model.id}:${alias}`),
    pricing: prices(variant.price),
  };
}

/** A micro-rouble a token is a rouble a million tokens. */
function prices({ input, output }: Price) {
  return { inputRubPerMillionTokens: input, outputRubPerMillionTokens: output };
}

/** GET /api/openapi; derived from the rows, and loaded only here. */
export async function openApi({ house }: Call): Promise<Response> {
  const { describeOpenApi } = await import('../contract/describe.js');
  return json(describeOpenApi({ brand: house.brand }));
}
