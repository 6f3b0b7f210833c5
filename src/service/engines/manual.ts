/** The manual that local/guide quotes: data that each build makes of docs/manual and the declarations. */
import manual from './manual.json' with { type: 'json' };

export interface Passage {
  readonly title: string;
  readonly text: string;
  readonly command?: string;
  /** Made from the declaration of a command: it yields to a topic that fits. */
  readonly isReference?: boolean;
}

export const passages: readonly Passage[] = manual;

/** The command of a passage as a code block, or nothing. */
export function commandBlock({ command }: Passage): string {
  return command ? `\n\`\`\`sh\n${command}\n\`\`\`\n` : '';
}
