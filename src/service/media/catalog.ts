/** The public catalog of media models (section 2.11). */
import { json, type Call } from '../call.js';
import { channels, optionsOf } from './models.js';

/** GET /api/media-catalog */
export async function catalog({ house }: Call): Promise<Response> {
  const models = await house.media.models();
  return json({
    pricesArePlaceholder: false,
    pricesAreEstimate: false,
    videoDisabled: false,
    models: models.map((model) => ({
      id: model.id,
      kind: model.kind,
      title: model.title,
      description: model.summary,
      variants: channels.map(({ alias }) => ({ id: `${model.id}:${alias}`, alias: `:${alias}` })),
      params: Object.keys(optionsOf(model)),
      fromRub: model.fromRub,
      axes: model.priceAxes,
    })),
  });
}
