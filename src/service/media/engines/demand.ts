/** Holds sources against what a request says they are. */
import type { Measured } from './measure/types.js';
import { MediaRefusal } from './refusal.js';
import type { MeasuredSources, SourceReference, Sources } from './types.js';

const words = { image: 'a picture', audio: 'a sound', video: 'a video' } as const;

/** @throws MediaRefusal when a source that was measured is of another kind */
export function demandKinds(
  references: readonly SourceReference[],
  measured: MeasuredSources,
): void {
  for (const reference of references) demandKind(reference, measured[reference.kind]);
}

/** @throws MediaRefusal when a source is not there, or of another kind */
export function demandSources(references: readonly SourceReference[], sources: Sources): void {
  for (const reference of references) {
    const source = sources[reference.kind];
    if (!source) throw new MediaRefusal('source_missing', `${reference.field} was not opened`);
    demandKind(reference, source.measured);
  }
}

function demandKind({ field, kind }: SourceReference, measured: Measured | undefined): void {
  if (!measured || measured.kind === kind) return;
  throw new MediaRefusal(
    'source_unsupported',
    `${field} is ${measured.mediaType}, and not ${words[kind]}`,
  );
}
