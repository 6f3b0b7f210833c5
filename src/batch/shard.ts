/** Which lines of an input belong to one of several processes. */
import type { Env } from '../lib/env.js';

export interface Shard {
  /** From 1. */
  readonly index: number;
  readonly count: number;
  /** Whether the line with this custom_id is in it. */
  readonly holds: (id: string) => boolean;
}

/** From `--shard I/N`, or `auto` and the environment. @throws UsageError */
export function shardFrom(_given: string | undefined, _env: Env): Shard | undefined {
  return undefined;
}
