/** What programs are told of a recording that was written down. */
import type { Heard } from './kept.js';
import type { Fields } from './fields.js';
import type { Part } from './parts.js';
import { wholeText } from './text.js';

/** What was heard in a part, and whether an earlier run had paid for it. */
export interface HeardPart extends Heard {
  readonly isReused: boolean;
  readonly reply?: unknown;
}

export interface Reported {
  readonly parts: readonly Part[];
  readonly fields: Fields;
  /** As far as there is something; parts that failed are missing at the end. */
  readonly heard: readonly HeardPart[];
  readonly cost: object;
}

export function reportOf({ parts, fields, heard, cost }: Reported): Record<string, unknown> {
  const [only, ...others] = heard;
  const count = parts.length;
  const told = heard.map(({ text }, index) => ({ ...parts[index]?.seconds, text }));
  const reused = heard.filter(({ isReused }) => isReused).length;
  return {
    text: wholeText(parts, heard),
    complete: heard.length === count,
    ...fields,
    ...(count > 1 ? { parts: told, reused } : {}),
    cost,
    ids: others.length === 0 ? (only?.ids ?? {}) : heard.map(({ ids }) => ids),
    ...(count === 1 ? { reply: only?.reply } : {}),
  };
}
