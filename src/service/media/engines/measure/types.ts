/** What a file is, by its own bytes. */
interface FileType {
  readonly mediaType: string;
  /** Without its dot. */
  readonly ext: string;
}

export interface MeasuredImage extends FileType {
  readonly kind: 'image';
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

export interface MeasuredAudio extends FileType {
  readonly kind: 'audio';
  readonly seconds: number;
}

export interface MeasuredVideo extends FileType {
  readonly kind: 'video';
  readonly seconds: number;
  /** Pixels, as they are shown. */
  readonly width: number;
  readonly height: number;
  /** Whether it is a film of this service, which can be drawn again. */
  readonly hasRecipe: boolean;
}

export type Measured = MeasuredImage | MeasuredAudio | MeasuredVideo;
