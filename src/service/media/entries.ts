/** Media models as the lists of models show them. */
import type { MediaModel, SourceKind } from './engines/types.js';
import { channels, type Channel, type ResolvedMedia } from './models.js';

/** @param full adds the pinned form of each channel */
export function mediaEntriesOf(models: readonly MediaModel[], full: boolean) {
  const [standard] = channels;
  return models.flatMap((model) => [
    mediaEntry({ model, channel: standard }, false),
    ...(full ? channels.map((channel) => mediaEntry({ model, channel }, true)) : []),
  ]);
}

/** @param isPinned whether the entry is of the channel alone */
export function mediaEntry({ model, channel }: ResolvedMedia, isPinned: boolean) {
  const { id, kind, summary, output, fromRub } = model;
  const address = ({ alias }: Channel) => `${id}:${alias}`;
  return {
    id: isPinned ? address(channel) : id,
    object: 'model',
    created: 0,
    owned_by: 'local',
    type: kind,
    description: summary,
    modalities: { input: inputsOf(model), output: [output] },
    addresses: channels.map(address),
    pricing: { fromRub },
  };
}

function inputsOf({ slots }: MediaModel): string[] {
  const kinds = new Set<SourceKind>(slots.flatMap((slot) => slot.kinds));
  return ['text', ...kinds];
}
