/** Calls that wait for jobs: their clients may give up after a minute, and the jobs continue without them. */
import { parseDuration } from '../../lib/duration.js';
import { textOf, type JsonRecord } from '../../lib/json.js';
import type { CommandTool } from './tools.js';

/** Many clients give up after 60 s, unless progress is shown meanwhile. */
const maxWaitMs = 45_000;

const waitingTools = ['generate', 'jobs_wait'];

export const sameCall = ({ name }: Pick<CommandTool, 'name'>) =>
  `it continues: call ${name} again with the same arguments, without new; it is not paid twice`;

/** What to call after a call of `tool` that ends while its job continues; undefined for other tools. */
export function nextStep({ name }: CommandTool, tools: readonly CommandTool[]) {
  if (!waitingTools.includes(name)) return undefined;
  const has = (wanted: string) => tools.some((tool) => tool.name === wanted);
  if (!has('jobs_wait')) return sameCall({ name });
  const download = has('jobs_download') ? ', then jobs_download' : '';
  return `it continues: call jobs_wait with its id${download}`;
}

/**
 * How long a call may take in milliseconds: one that waits and shows no progress ends in time for any client.
 * @param usualMs the limit of a call that sets none
 */
export function timeLimitMs(
  { name }: CommandTool,
  { timeout }: JsonRecord,
  { usualMs, showsProgress }: { usualMs: number | undefined; showsProgress: boolean },
): number | undefined {
  // What is no duration is refused by the command.
  const limitMs = parseDuration(textOf(timeout) ?? '') ?? usualMs;
  if (showsProgress || !waitingTools.includes(name)) return limitMs;
  return Math.min(limitMs ?? Infinity, maxWaitMs);
}
