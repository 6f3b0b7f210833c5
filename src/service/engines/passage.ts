/** A passage of the manual. */
export interface Passage {
  readonly title: string;
  /** Markdown. */
  readonly text: string;
  /** What to type. */
  readonly command?: string;
}
