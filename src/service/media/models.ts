/** The media models and the channels that serve them. */
import type { mediaProviders } from '../../contract/enums.js';
import { recordOf } from '../../lib/json.js';
import type { House } from '../call.js';
import { ServiceFailure } from '../failure.js';
import type { MediaModel } from './engines/types.js';

/**
 * A channel: `local/canvas:failing` pins one. The first one serves when none is pinned; the
 * others are there to see how a caller takes what can go wrong.
 */
export interface Channel {
  readonly alias: 'standard' | 'failing' | 'uncertain' | 'refusing' | 'closed';
  readonly summary: string;
}

const standard: Channel = { alias: 'standard', summary: 'Makes what was asked for' };

export const channels: readonly [Channel, ...Channel[]] = [
  standard,
  { alias: 'failing', summary: 'Every job fails at its end, and its price is given back' },
  {
    alias: 'uncertain',
    summary: 'For the first half of its time it is uncertain whether a job has started',
  },
  { alias: 'refusing', summary: 'Accepts no job: 502, and nothing is charged' },
  { alias: 'closed', summary: 'Temporarily unavailable: it has no price and takes no job, 503' },
];

const vendor = 'local/';

/** A model and the channel that serves it. */
export interface ResolvedMedia {
  readonly model: MediaModel;
  readonly channel: Channel;
}

/** Finds a model by public id, by its short form, or by either with a channel pinned. */
export function findMedia(models: readonly MediaModel[], name: string): ResolvedMedia | undefined {
  const [bare = '', alias = standard.alias, ...rest] = name.split(':');
  const model = models.find(({ id }) => id === bare || id === vendor + bare);
  const channel = channels.find((one) => one.alias === alias);
  return model && channel && rest.length === 0 ? { model, channel } : undefined;
}

/**
 * As `findMedia`.
 * @param status of the refusal when there is none
 */
export async function resolveMedia(
  { media }: House,
  name: string,
  status: 404 | 422,
): Promise<ResolvedMedia> {
  const models = await media.models();
  const found = findMedia(models, name);
  if (found) return found;
  const known = models.map(({ id }) => id).join(', ');
  throw new ServiceFailure(
    status,
    status === 404 ? 'model_not_found' : 'unsupported_model',
    `there is no media model ${JSON.stringify(name.slice(0, 100))}; there are ${known}`,
    { param: 'model' },
  );
}

/** @throws ServiceFailure 503 where the channel is closed */
export function demandOpen({ model, channel }: ResolvedMedia): void {
  if (channel.alias !== 'closed') return;
  throw new ServiceFailure(
    503,
    'route_unavailable',
    `the route ${model.id}:${channel.alias} is temporarily unavailable; nothing was charged`,
    { headers: { 'retry-after': '1' } },
  );
}

type Provider = (typeof mediaProviders)[number];

const providers: Readonly<Record<MediaModel['kind'], Provider>> = {
  image: 'canvas',
  video: 'flow',
  audio: 'prime',
  music: 'prime',
  '3d': 'pixel',
};

/** The provider word of a model; a model that is gone has one as well. */
export function providerOf(models: readonly MediaModel[], id: string): Provider {
  const model = models.find((one) => one.id === id);
  return model ? providers[model.kind] : 'canvas';
}

/** The options of a model by name, each with its own schema. */
export function optionsOf({ requestJsonSchema }: MediaModel): Readonly<Record<string, unknown>> {
  const { opts } = recordOf(requestJsonSchema['properties']);
  return recordOf(recordOf(opts)['properties']);
}
