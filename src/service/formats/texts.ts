import type { Part } from '../engines/types.js';

/** The text of a part, if it is one. */
export function textsOf(part: Part): string[] {
  return part.type === 'text' ? [part.text] : [];
}
