/** What passes between the media endpoints and the models that draw, play and build. */
import type { SizedSource } from '../../../lib/audio/source.js';

export type Fields = Readonly<Record<string, unknown>>;

/** What tells a file of local/voice from others. */
export const voiceSoftware = 'svc local/voice';

interface FileType {
  readonly mediaType: string;
  readonly ext: string;
}

/** Pixels, as they are shown. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Red, green, blue and opacity (255 when it is left out), 0 to 255 each. */
export type Color = readonly [number, number, number, number?];
/** The color of a pixel. */
export type Paint = (x: number, y: number) => Color;

export type SourceKind = 'image' | 'audio' | 'video';

/** What a file is by its own bytes. */
export interface Measured extends FileType, Partial<Size> {
  readonly kind: SourceKind;
  /** Of sound and video. */
  readonly seconds?: number;
  /** Whether a video is a film of this service, which can be drawn again. */
  readonly hasRecipe?: boolean;
}

/** A file that a model makes. */
export interface MediaFile extends FileType {
  /** Made as they are read; every call gives the same. */
  bytes(): AsyncIterable<Uint8Array>;
}

export interface MediaResult {
  readonly files: readonly MediaFile[];
  readonly resultText?: string;
  readonly resultMeta?: Fields;
}

/** One file that a model needs, of one of these kinds. */
export interface SourceSlot {
  readonly kinds: readonly [SourceKind, ...SourceKind[]];
  readonly purpose: string;
}

/** An opened source, measured by its own bytes. */
export interface Source extends Measured {
  readonly bytes: SizedSource;
}

export type Sources = Readonly<Partial<Record<SourceKind, Source>>>;
/** What is known of the sources when a price is asked for; a kind is absent while unmeasured. */
export type MeasuredSources = Readonly<Partial<Record<SourceKind, Measured>>>;

export interface Price {
  readonly priceRub: number;
  /** Whether it rests on the assumed length of a source that was not measured. */
  readonly isEstimate: boolean;
  readonly estimateReason?: string;
  /** What was multiplied; the names end in their units. */
  readonly breakdown: Readonly<Record<string, number>>;
  /** Of a recording that is transcribed, of what is made, of the source: as measured. */
  readonly audioSeconds?: number;
  readonly outputSeconds?: number;
  readonly sourceSeconds?: number;
}

/** What of a request does not fit the model's schema. */
export interface Violation {
  readonly field: string;
  readonly message: string;
  /** Every value that fits, where they can be listed. */
  readonly allowed?: readonly (string | number)[];
  /** True for an unknown option: without `strict` the job runs as if it were not there. */
  readonly ignorable: boolean;
}

export interface ModelRequest {
  readonly prompt?: string;
  readonly opts?: Fields;
}
