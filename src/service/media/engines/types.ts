/** What passes between the media endpoints and the models that draw, play and build. */
import type { mediaKinds } from '../../../contract/enums.js';
import type { SizedSource } from '../../../lib/audio/source.js';

type MediaKind = (typeof mediaKinds)[number];
/** What a source file can be. */
export type SourceKind = 'image' | 'audio' | 'video';
type Fields = Readonly<Record<string, unknown>>;

/** A request or a source that a model cannot work with; the endpoints answer it as a 422. */
export class MediaRefusal extends Error {
  override readonly name = 'MediaRefusal';
  constructor(
    readonly code: `source_${'missing' | 'unreadable' | 'unsupported' | 'too_long' | 'too_large'}`,
    message: string,
  ) {
    super(message);
  }
}

/** What tells a file of local/voice from others. */
export const voiceSoftware = 'svc local/voice';

interface FileType {
  readonly mediaType: string;
  /** Without its dot. */
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

export interface MeasuredImage extends FileType, Size {
  readonly kind: 'image';
}

export interface MeasuredAudio extends FileType {
  readonly kind: 'audio';
  readonly seconds: number;
}

export interface MeasuredVideo extends FileType, Size {
  readonly kind: 'video';
  readonly seconds: number;
  /** Whether it is a film of this service, which can be drawn again. */
  readonly hasRecipe: boolean;
}

export type Measured = MeasuredImage | MeasuredAudio | MeasuredVideo;

/** A file that a model makes. */
export interface MediaFile extends FileType {
  /** Makes the bytes as they are read; every call begins anew and gives the same bytes. */
  bytes(): AsyncIterable<Uint8Array>;
}

export interface MediaResult {
  readonly files: readonly MediaFile[];
  readonly resultText?: string;
  readonly resultMeta?: Fields;
}

/** One source that a model needs: exactly one file, of one of these kinds. */
export interface SourceSlot {
  readonly kinds: readonly [SourceKind, ...SourceKind[]];
  /** What it is for: `the picture or video to enlarge`. */
  readonly purpose: string;
}

/** A source as a request names it (section 2.11). */
export interface SourceReference {
  readonly kind: SourceKind;
  readonly form: 'url' | 'base64' | 'file_id';
  /** The field that gave it: `opts.audio_file_id`. */
  readonly field: string;
  /** The URL, the base64 text (a data: URL is taken as well) or the id of the file. */
  readonly value: string;
}

/** An opened source, its kind and length read from its own bytes by `measure`. */
export interface Source<Known extends Measured = Measured> {
  readonly bytes: SizedSource;
  readonly measured: Known;
}

/** The opened sources of a job, by kind. */
export type Sources = Readonly<Partial<Record<SourceKind, Source>>>;
/** What is known of the sources when a price is asked for; a kind is absent while unmeasured. */
export type MeasuredSources = Readonly<Partial<Record<SourceKind, Measured>>>;

export interface Price {
  /** In whole kopecks: at most two digits after the point. */
  readonly priceRub: number;
  /** True when a source was not measured, so that the price rests on an assumed length. */
  readonly isEstimate: boolean;
  readonly estimateReason?: string;
  /** What was multiplied; the names end in their units. */
  readonly breakdown: Readonly<Record<string, number>>;
  /** Transcription: the measured length of the recording. */
  readonly audioSeconds?: number;
  /** Lip-sync: the length of the result. */
  readonly outputSeconds?: number;
  /** Upscale and lip-sync: the measured length of the source. */
  readonly sourceSeconds?: number;
}

/** What of a request does not fit the model's schema. */
export interface Violation {
  /** `prompt`, `opts.seconds`. */
  readonly field: string;
  /** A sentence that names the field. */
  readonly message: string;
  /** Every value that fits, where they can be listed. */
  readonly allowed?: readonly (string | number | boolean)[];
  /** True for an unknown option: without `strict` the job runs as if it were not there. */
  readonly ignorable: boolean;
}

/** The part of a media request that a model reads. */
export interface ModelRequest {
  readonly prompt?: string;
  readonly opts?: Fields;
}

/** A request that fits its model. */
export interface Job {
  /** The options it runs with: defaults filled in, sources left out. */
  readonly effectiveOpts: Fields;
  readonly references: readonly SourceReference[];
  /** @throws MediaRefusal when a measured source is not what the model takes */
  price(measured: MeasuredSources): Price;
  /** @param input its seed decides what the request leaves open; the same input gives the same bytes */
  make(input: { readonly sources: Sources; readonly seed: number }): Promise<MediaResult>;
}

export interface MediaModel {
  /** The public id: `local/canvas`. */
  readonly id: string;
  readonly kind: MediaKind;
  readonly title: string;
  readonly summary: string;
  readonly slots: readonly SourceSlot[];
  /** What comes out. */
  readonly output: MediaKind | 'text';
  /** JSON Schema (draft 2020-12) of the exact body of POST /api/media/generate. */
  readonly requestJsonSchema: Fields;
  /** The lowest price of anything it makes, in RUB. */
  readonly fromRub: number;
  /** The options that change the price. */
  readonly priceAxes: readonly string[];
  /** How long a job takes on the service's clock unless the service is set otherwise. */
  readonly defaultTookMs: number;
  /** What does not fit the schema; the job is absent where that cannot be ignored. */
  check(order: ModelRequest): { readonly job?: Job; readonly violations: readonly Violation[] };
}
