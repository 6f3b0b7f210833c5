/** How options are spelled on the command line. */
import { kebabCase } from '../lib/names.js';
import type { Option } from './declaration.js';

/** `--max-tokens`, or `--no-stream` for a negated switch. */
export function longFlag(name: string, declared: Option): string {
  return `--${declared.type === 'switch' && declared.negated ? 'no-' : ''}${kebabCase(name)}`;
}

/** `-m, --max-tokens <N>` or `--no-stream`. */
export function flagsOf(name: string, declared: Option): string {
  const long = longFlag(name, declared);
  const flags = declared.short ? `-${declared.short}, ${long}` : long;
  return declared.type === 'switch' ? flags : `${flags} <${declared.value}>`;
}

/** What help says of an option: its summary, and the value that holds when it is not given. */
export function summaryOf({ summary, default: fallback }: Option): string {
  return fallback === undefined ? summary : `${summary} (default: ${fallback})`;
}
