/** The manual that local/guide quotes: data that `npm run generate` makes of docs/manual and the declarations. */
import manual from './manual.json' with { type: 'json' };
import type { Passage } from './passage.js';

export const passages: readonly Passage[] = manual;
