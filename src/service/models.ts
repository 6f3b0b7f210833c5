/** Models, their prices and the public text catalog. */
import { listModels } from '../contract/models.js';
import { json, type Call } from './call.js';
import {
  models,
  publicId,
  resolveModel,
  type Model,
  type Price,
  type Resolved,
} from './catalog.js';

/**
 * GET /v1/models: one id per model; `variants=1` adds the pinned ones. Media models, which
 * `type=image` and `all=true` select, are none yet.
 */
export function list(call: Call): Response {
  const { variants, type } = call.query(listModels.query);
  const wanted = type === undefined || type === 'text' ? models : [];
  const full = isOn(variants);
  return json({
    object: 'list',
    data: wanted.flatMap((model) => [entry(standard(model)), ...(full ? pinned(model) : [])]),
  });
}

/** GET /v1/models/all */
export function listAll(): Response {
  const data = models.flatMap((model) => [entry(standard(model)), ...pinned(model)]);
  return json({ object: 'list', data });
}

/** GET /v1/models/{id}; short forms and pinned ones name the same model. */
export function show(call: Call): Response {
  return json(entry(resolveModel(call.param('id'))));
}

/** GET /v1/pricing */
export function pricing(): Response {
  const data = models.flatMap((model) =>
    model.variants.map(({ alias, price }) => ({
      id: model.id,
      variant: `:${alias}`,
      type: 'text',
      ...prices(price),
    })),
  );
  return json({ object: 'list', currency: 'RUB', data, tools: [] });
}

/** GET /api/catalog */
export function catalog(): Response {
  return json(
    models.map(({ id, summary, contextTokens, inputs, variants }) => ({
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
      storesDataInRussia: null,
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
    type: 'text',
    description: model.summary,
    context_length: model.contextTokens,
    modalities: { input: model.inputs, output: ['text'] },
    addresses: model.variants.map(({ alias }) => `${model.id}:${alias}`),
    pricing: prices(variant.price),
  };
}

/** A micro-rouble a token is a rouble a million tokens. */
function prices({ input, output }: Price) {
  return { inputRubPerMillionTokens: input, outputRubPerMillionTokens: output };
}
