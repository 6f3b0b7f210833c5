/** The manual that local/guide quotes: built from docs/manual and the declarations. */
import manual from './manual.json' with { type: 'json' };

export interface Passage {
  readonly title: string;
  readonly text: string;
  readonly command?: string;
  /** Generated from a command's declaration; it ranks below topics. */
  readonly isReference?: boolean;
}

export const passages: readonly Passage[] = manual;

export function commandBlock({ command }: Passage): string {
  return command ? `\n\`\`\`sh\n${command}\n\`\`\`\n` : '';
}
