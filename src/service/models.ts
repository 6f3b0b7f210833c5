/** Models: their lists and prices, the model of an endpoint, and the price of its tokens. */
import { mediaKinds, searchModes } from '../contract/enums.js';
import { listModels } from '../contract/models.js';
import { json, type App, type Call, type Reply } from './call.js';
import * as known from './catalog.js';
import type { Model, ModelRoute } from './catalog.js';
import { chargeTogether, toRub } from './charge.js';
import { badRequest } from './failure.js';
import type { MediaModel } from './media/engines/model.js';
import * as media from './media/models.js';

/** GET /v1/models: `type` selects a kind, `variants=1` adds pinned ones, `all=true` adds media. */
export async function list(call: Call): Promise<Reply> {
  const { variants, type, all } = call.query(listModels.query);
  const withMedia = isOn(all) || mediaKinds.some((kind) => kind === type);
  const every = await entries(call.app, isOn(variants), withMedia);
  const data = type === undefined ? every : every.filter((one) => one.type === type);
  return json({ object: 'list', data });
}

export async function listAll({ app }: Call): Promise<Reply> {
  return json({ object: 'list', data: await entries(app, true, true) });
}

export async function show(call: Call): Promise<Reply> {
  const id = call.param('id');
  const text = known.findModel(id, known.models);
  const match = text ?? known.findModel(id, await call.app.mediaModels());
  if (!match) throw known.noModel(id, known.models);
  return json(entry(match));
}

async function entries(app: App, full: boolean, withMedia: boolean) {
  const all = [...known.models, ...(withMedia ? await app.mediaModels() : [])];
  return all.flatMap((model) => {
    const standard = { model, variant: model.variants[0], pinned: false };
    const pinned = model.variants.map((variant) => ({ model, variant, pinned: true }));
    return (full ? [standard, ...pinned] : [standard]).map(entry);
  });
}

export function pricing(): Reply {
  const data = known.models.flatMap(({ id, type, variants }) =>
    variants.map(({ alias, price }) => ({ id, variant: `:${alias}`, type, ...prices(price) })),
  );
  const tools = searchModes.map((mode) => {
    const { perRequest, perResult } = known.searchPrices[mode];
    const price = { rubPerRequest: toRub(perRequest), rubPerResult: toRub(perResult) };
    return { id: `web_search:${mode}`, tool: 'web_search', mode, ...price };
  });
  return json({ object: 'list', currency: 'RUB', data, tools });
}

export function catalog(): Reply {
  const data = known.chatModels.map(({ id, variants, ...model }) => ({
    id,
    name: id,
    description: model.summary,
    contextTokens: model.contextTokens,
    modalities: { input: model.inputs, output: ['text'] },
    variants: variants.map(({ alias, price }) => {
      return { id: `${id}:${alias}`, alias: `:${alias}`, ...prices(price) };
    }),
    storesDataInRussia: model.storesDataInRussia,
  }));
  return json(data);
}

function isOn(flag: string | undefined): boolean {
  return flag === '1' || flag === 'true';
}

function entry(resolved: ModelRoute<Model | MediaModel>) {
  const { model, variant } = resolved;
  return {
    id: known.publicId(resolved),
    object: 'model',
    created: 0,
    owned_by: 'local',
    ...('kind' in model ? mediaFacts(model) : textFacts(model)),
    addresses: model.variants.map(({ alias }) => `${model.id}:${alias}`),
    pricing:
      'price' in variant
        ? prices(variant.price)
        : { fromRub: 'fromRub' in model ? model.fromRub : 0 },
  };
}

function textFacts({ type, summary, contextTokens, inputs }: Model) {
  const modalities = { input: inputs, output: [type] };
  return { type, description: summary, context_length: contextTokens, modalities };
}

function mediaFacts({ kind, summary, slots, output }: MediaModel) {
  const input = ['text', ...new Set(slots.flatMap(({ kinds }) => kinds))];
  return { type: kind, description: summary, modalities: { input, output: [output] } };
}

/** A micro-rouble per token is a rouble per million tokens. */
function prices({ input, output }: ModelRoute['variant']['price']) {
  return { inputRubPerMillionTokens: input, outputRubPerMillionTokens: output };
}

/** GET /api/openapi; derived from the rows, and loaded only here. */
export async function openApi({ app }: Call): Promise<Reply> {
  const { describeOpenApi } = await import('../contract/describe.js');
  return json(describeOpenApi({ brand: app.brand }));
}

const addresses: Readonly<Record<Model['type'], string>> = {
  text: 'POST /v1/chat/completions, /v1/messages and /v1/responses',
  embedding: 'POST /v1/embeddings',
  decision: 'POST /v1/decisions',
};

/** The model of an endpoint for text, one of `offered`; `cannot` describes other models. */
export async function resolveText<Kind extends Model>(
  { app }: Call,
  name: string,
  offered: readonly Kind[],
  { cannot, status = 404 }: { readonly cannot: string; readonly status?: 400 | 404 },
): Promise<ModelRoute<Kind>> {
  const match = known.findModel(name, offered);
  if (match) return match;
  const text = known.findModel(name, known.models)?.model;
  const other = text ?? known.findModel(name, await app.mediaModels())?.model;
  if (!other) throw known.noModel(name, offered, status);
  const address = text ? addresses[text.type] : 'POST /api/media/generate';
  throw badRequest(`${other.id} ${cannot}; use ${address}`, 'model', 'model_not_supported');
}

/** The media model `own` of a synchronous endpoint; a name of another one is refused with `code`. */
export async function resolveSync(
  { app }: Call,
  name: string,
  own: Pick<MediaModel, 'id'>,
  { does, code }: { readonly does: string; readonly code: string },
): Promise<media.MediaRoute> {
  const match = known.findModel(name, await app.mediaModels());
  const other = match?.model ?? known.findModel(name, known.models)?.model;
  if (other && other.id !== own.id) {
    throw badRequest(`${other.id} does not ${does} synchronously; ${own.id} does`, 'model', code);
  }
  const resolved = match ?? (await media.resolveMedia(app, name, 404));
  media.assertOpen(resolved);
  return resolved;
}

interface TokenUse {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Charges for input and output tokens. */
export async function chargeTokens(
  call: Call,
  { model, variant }: ModelRoute,
  { inputTokens, outputTokens }: TokenUse,
  id = call.app.newId(),
): Promise<void> {
  const { input, output } = variant.price;
  const createdAtMs = call.app.clock.now();
  const priceMicroRub = Math.max(1, input * inputTokens + output * outputTokens);
  const facts = { model: model.id, route: `:${variant.alias}`, priceMicroRub, createdAtMs };
  const tokens = { promptTokens: inputTokens, completionTokens: outputTokens };
  await chargeTogether(call, { id: `gen_${id}`, ...tokens, ...facts });
}
