/** How much a model thinks aloud, by the effort that was asked for. */
import type { Reasoning } from './types.js';

const lines: Readonly<Record<string, number>> = {
  minimal: 1,
  low: 2,
  medium: 3,
  high: 5,
  xhigh: 8,
  max: 12,
};

/** The first thoughts of a list, as many as the effort allows, one to a line; none unless asked. */
export function thinkAloud(reasoning: Reasoning, thoughts: readonly string[]): string {
  if (reasoning.mode !== 'on') return '';
  return thoughts.slice(0, lines[reasoning.effort ?? 'medium'] ?? 3).join('\n');
}
