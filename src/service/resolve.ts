/** The model of an endpoint, and the price of what it did. */
import type { Call, House } from './call.js';
import { findModel, models, noModel, type Model, type Resolved } from './catalog.js';
import { charge } from './charge.js';
import { badRequest } from './failure.js';
import type { MediaModel } from './media/engines/types.js';
import { assertOpen, findMedia, resolveMedia, type ResolvedMedia } from './media/models.js';

const addresses: Readonly<Record<Model['type'], string>> = {
  text: 'POST /v1/chat/completions, /v1/messages and /v1/responses',
  embedding: 'POST /v1/embeddings',
  decision: 'POST /v1/decisions',
};

/**
 * The model of an endpoint for text.
 * @param offered the models that it takes
 * @param cannot what others do not do, for the refusal
 * @throws ServiceFailure 400 for a model of another kind; 404, or `missing`, for none
 */
export async function resolveText<Kind extends Model>(
  { media }: House,
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

/**
 * The media model of an endpoint that makes one thing while the caller waits.
 * @param own the model that does it
 * @param does what it does, for the refusal of another
 * @throws ServiceFailure 400 for another model, 404 for none, 503 where its channel is closed
 */
export async function resolveSync(
  house: House,
  name: string,
  own: Pick<MediaModel, 'id'>,
  does: string,
  code: string,
): Promise<ResolvedMedia> {
  const found = findMedia(await house.media.models(), name);
  const other = found?.model ?? findModel(name, models)?.model;
  if (other && other.id !== own.id) {
    const message = `${other.id} does not ${does} while one waits; ${own.id} does`;
    throw badRequest(message, 'model', code);
  }
  const resolved = found ?? (await resolveMedia(house, name, 404));
  assertOpen(resolved);
  return resolved;
}

/**
 * Takes the price of what a model read and wrote.
 * @param id of the answer, where that is told too
 * @returns the header that names the usage record
 */
export function chargeTokens(
  call: Call,
  { model, variant }: Resolved,
  inputTokens: number,
  outputTokens: number,
  id = call.house.newId(),
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
    createdAtMs: call.house.clock.now(),
  });
}
