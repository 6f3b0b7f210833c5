/** A request or a source that a model cannot work with; the endpoints answer it as a 422. */
export class MediaRefusal extends Error {
  override readonly name = 'MediaRefusal';
  constructor(
    readonly code: RefusalCode,
    /** One sentence. */
    message: string,
  ) {
    super(message);
  }
}

/** A stable machine word. */
export type RefusalCode =
  | 'source_missing'
  | 'source_unreadable'
  | 'source_unsupported'
  | 'source_too_long'
  | 'source_too_large';
