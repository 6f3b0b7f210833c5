/** What a media model is: what it takes, what it makes, and what that costs. */
import type * as z from 'zod/mini';
import type { mediaKinds } from '../../../contract/enums.js';
import type { MediaRequest } from '../../../contract/media.js';
import type { SizedSource } from '../../../lib/audio/source.js';
import type { JsonRecord } from '../../../lib/json.js';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Red, green, blue and opacity, 0 to 255 each. */
export type Color = readonly [number, number, number, number];
/** The color of a place in a picture, in pixels. */
export type Paint = (x: number, y: number) => Color;

export type SourceKind = 'image' | 'audio' | 'video';

/** A file's properties, determined from its bytes. */
export interface FileFacts extends Partial<Size> {
  readonly kind: SourceKind;
  readonly mediaType: string;
  readonly ext: string;
  /** Of sound and video. */
  readonly seconds?: number;
  readonly hasRecipe?: boolean;
}

export interface MediaSource extends FileFacts {
  readonly bytes: SizedSource;
}
export type Sources = Readonly<Partial<Record<SourceKind, MediaSource>>>;
/** A kind is absent until its source is measured. */
export type SourceFacts = Readonly<Partial<Record<SourceKind, FileFacts>>>;

/** A file that is generated as it is read; every call returns the same bytes. */
export interface MediaFile extends Pick<FileFacts, 'mediaType' | 'ext'> {
  bytes(): AsyncIterable<Uint8Array>;
}

export interface MediaResult {
  readonly files: readonly MediaFile[];
  readonly resultText?: string;
  readonly resultMeta?: JsonRecord;
}

export type ModelRequest = Pick<z.output<typeof MediaRequest>, 'prompt' | 'opts'>;

export type LengthName = 'audioSeconds' | 'outputSeconds' | 'sourceSeconds';

export interface Price extends Partial<Record<LengthName, number>> {
  readonly priceRub: number;
  readonly isEstimate: boolean;
  readonly estimateReason?: string;
  /** The factors of the price. */
  readonly breakdown: Readonly<Record<string, number>>;
}

export interface SourceSlot {
  readonly kinds: readonly [SourceKind, ...SourceKind[]];
  readonly purpose: string;
}

const uncertain = 'For the first half of its time it is uncertain whether a job has started';

/** The first is the default; the others let a caller test failures. */
export const variants = [
  { alias: 'standard', summary: 'Produces the requested result' },
  { alias: 'failing', summary: 'Every job fails at its end, and its price is refunded' },
  { alias: 'uncertain', summary: uncertain },
  { alias: 'refusing', summary: 'Refuses every job: 502, and nothing is charged' },
  { alias: 'closed', summary: 'Temporarily unavailable: no price and no jobs, 503' },
] as const;

/** What a model says of itself. */
export interface ModelFacts {
  readonly id: `local/${string}`;
  readonly kind: (typeof mediaKinds)[number];
  readonly summary: string;
  /** The lowest price. */
  readonly fromRub: number;
  /** What the price depends on. */
  readonly priceAxes: readonly string[];
  readonly defaultTookMs: number;
}

/** A model as the lists show it and as requests use it. */
export interface MediaModel extends ModelFacts {
  readonly variants: typeof variants;
  readonly title: string;
  /** The kind of its result; transcription returns text. */
  readonly output: string;
  /** The sources besides the prompt. */
  readonly slots: readonly SourceSlot[];
  /** JSON Schema (draft 2020-12) of the exact body of POST /api/media/generate. */
  readonly requestJsonSchema: JsonRecord;
  /** The violations of the schema; the job is absent unless all are ignorable. */
  check(request: ModelRequest): { violations: readonly Violation[]; job?: ModelJob };
}

/** A request that a model accepts. */
export interface ModelJob {
  /** The options of the job: with defaults, without sources. */
  readonly effectiveOpts: JsonRecord;
  readonly references: readonly SourceReference[];
  /** @throws ServiceFailure when the model does not accept a measured source */
  readonly price: (measured: SourceFacts) => Price;
  readonly make: (sources: Sources) => Promise<MediaResult>;
}

/** A source as a request names it (section 2.11). */
export interface SourceReference {
  readonly kind: SourceKind;
  readonly form: 'url' | 'base64' | 'file_id';
  /** Its place in the request: `opts.image_url`. */
  readonly field: string;
  readonly value: string;
}

/** A fault of a request; an ignorable one stops a job only under `strict`. */
export interface Violation {
  readonly field: string;
  readonly message: string;
  /** All valid values, if they can be listed. */
  readonly allowed?: readonly (string | number)[];
  readonly ignorable: boolean;
}

/** Rounds a price up to a kopeck, ignoring errors of binary fractions below a ten-thousandth. */
export function wholeKopecks(rub: number): number {
  return Math.max(0, Math.ceil(rub * 100 - 1e-4)) / 100;
}

/** The product of the factors, as a price; `assumed` describes an unmeasured source. */
export function priceOf(breakdown: Price['breakdown'], assumed?: string, per = 1): Price {
  const rub = Object.values(breakdown).reduce((product, factor) => product * factor, 1) / per;
  const estimateReason = assumed && `the source was not measured: ${assumed} is assumed`;
  const estimate = { isEstimate: assumed !== undefined, ...(estimateReason && { estimateReason }) };
  return { priceRub: wholeKopecks(rub), ...estimate, breakdown };
}

/** The price of a source's seconds, or of the assumed seconds of an unmeasured one. */
export function priceOfSeconds(
  rubPerSecond: number,
  source: FileFacts | undefined,
  assumed: { readonly seconds: number; readonly noun: string },
  ...names: readonly LengthName[]
): Price {
  const { seconds = assumed.seconds } = source ?? {};
  const unmeasured = source ? undefined : `${assumed.noun} of ${assumed.seconds} seconds`;
  const price = priceOf({ rubPerSecond, seconds }, unmeasured);
  return { ...price, ...(source && Object.fromEntries(names.map((name) => [name, seconds]))) };
}
