/** The manual that local/guide quotes, passage by passage. */

export interface Passage {
  readonly title: string;
  readonly text: string;
  /** What to type. */
  readonly command?: string;
}

export const passages: readonly Passage[] = [
  {
    title: 'Ask a question',
    text: '`svc chat` asks a model and prints its answer as it arrives.',
    command: 'svc chat "why is the sky blue?"',
  },
];
