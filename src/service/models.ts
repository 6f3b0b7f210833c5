/** Models: lists and prices of them, which one an endpoint means, and what its tokens cost. */
import { mediaKinds, searchModes } from '../contract/enums.js';
import { listModels } from '../contract/models.js';
import { json, type Call, type App, type Reply } from './call.js';
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
import { charge } from './charge.js';
import { badRequest } from './failure.js';
import type { MediaModel } from './media/engines/types.js';
import {
  findMedia,
  resolveMedia,
  type ResolvedMedia,
  assertOpen,
  mediaEntry,
} from './media/models.js';
import { toRub } from './money.js';

/** GET /v1/models: `type` selects a kind, `variants=1` adds the pinned ones, `all=true` adds media. */
export async function list(call: Call): Promise<Reply> {
  const { variants, type, all } = call.query(listModels.query);
  const full = isOn(variants);
  const media =
    isOn(all) || mediaKinds.some((kind) => kind === type) ? await mediaEntries(call.app, full) : [];
  const every = [...textEntries(full), ...media];
  const data = type === undefined ? every : every.filter((one) => one.type === type);
  return json({ object: 'list', data });
}

export async function listAll({ app }: Call): Promise<Reply> {
  return json({
    object: 'list',
    data: [...textEntries(true), ...(await mediaEntries(app, true))],
  });
}

/** GET /v1/models/{id}; short forms and pinned ones name the same model. */
export async function show(call: Call): Promise<Reply> {
  const id = call.param('id');
  const text = findModel(id, models);
  if (text) return json(entry(text));
  const found = findMedia(await call.app.media.models(), id);
  if (!found) throw noModel(id, models);
  return json(mediaEntry(found, id.includes(':')));
}

function textEntries(full: boolean) {
  return models.flatMap((model) => [entry(standard(model)), ...(full ? pinned(model) : [])]);
}

async function mediaEntries({ media }: App, full: boolean) {
  const { mediaEntriesOf } = await import('./media/models.js');
  return mediaEntriesOf(await media.models(), full);
}

export function pricing(): Reply {
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

function searchTools() {
  return searchModes.map((mode) => ({
    id: `web_search:${mode}`,
    tool: 'web_search',
    mode,
    rubPerRequest: toRub(searchPrices[mode].perRequest),
    rubPerResult: toRub(searchPrices[mode].perResult),
  }));
}

export function catalog(): Reply {
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
export async function openApi({ app }: Call): Promise<Reply> {
  const { describeOpenApi } = await import('../contract/describe.js');
  return json(describeOpenApi({ brand: app.brand }));
}

const addresses: Readonly<Record<Model['type'], string>> = {
  text: 'POST /v1/chat/completions, /v1/messages and /v1/responses',
  embedding: 'POST /v1/embeddings',
  decision: 'POST /v1/decisions',
};

/** The model of an endpoint for text, of those `offered`; `cannot` says what others do not do. */
export async function resolveText<Kind extends Model>(
  { media }: App,
  name: string,
  offered: readonly Kind[],
  cannot: string,
  missing?: 400 | 404,
): Promise<Resolved<Kind>> {
  const found = findModel(name, offered);
  if (found) return found;
  const text = findModel(name, models)?.model;
  const other = text ?? findMedia(await media.models(), name)?.model;
  if (!other) throw noModel(name, offered, missing);
  const address = text ? addresses[text.type] : 'POST /api/media/generate';
  const message = `${other.id} ${cannot}; it is reached by ${address}`;
  throw badRequest(message, 'model', 'model_not_supported');
}

/** The media model of an endpoint that makes one thing while its caller waits. */
export async function resolveSync(
  app: App,
  name: string,
  own: Pick<MediaModel, 'id'>,
  does: string,
  code: string,
): Promise<ResolvedMedia> {
  const found = findMedia(await app.media.models(), name);
  const other = found?.model ?? findModel(name, models)?.model;
  if (other && other.id !== own.id) {
    const message = `${other.id} does not ${does} while one waits; ${own.id} does`;
    throw badRequest(message, 'model', code);
  }
  const resolved = found ?? (await resolveMedia(app, name, 404));
  assertOpen(resolved);
  return resolved;
}

/** Takes the price of what a model read and wrote, and gives the header that names the record. */
export function chargeTokens(
  call: Call,
  { model, variant }: Resolved,
  inputTokens: number,
  outputTokens: number,
  id = call.app.newId(),
): Readonly<Record<string, string>> {
  const { input, output } = variant.price;
  return charge(call, {
    id: `gen_${id}`,
    model: model.id,
    route: `:${variant.alias}`,
    promptTokens: inputTokens,
    completionTokens: outputTokens,
    // Never nothing.
    priceMicroRub: Math.max(1, input * inputTokens + output * outputTokens),
    createdAtMs: call.app.clock.now(),
  });
}
