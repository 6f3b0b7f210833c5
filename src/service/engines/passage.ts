/** A passage of the manual. */
export interface Passage {
  readonly title: string;
  /** Markdown. */
  readonly text: string;
  /** What to type. */
  readonly command?: string;
  /** Made from the declaration of a command: it yields to a topic that fits. */
  readonly isReference?: boolean;
}
