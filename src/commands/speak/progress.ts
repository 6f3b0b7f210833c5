/** How far the speech has come, as one line on a terminal. */
import type { Context } from '../../cli/context.js';
import { formatBytes } from '../../lib/amounts.js';
import { formatElapsed } from '../../lib/duration.js';

export interface Told {
  /** So many more bytes of a piece have come. */
  bytes(index: number, count: number): void;
  stop(): void;
}

/** @param count of pieces. */
export async function tellProgress({ out, flags, clock }: Context, count: number): Promise<Told> {
  if (flags.json) return { bytes: () => undefined, stop: () => undefined };
  const startedAtMs = clock.now();
  let total = 0;
  let latest = 0;
  const words = () => {
    const elapsed = formatElapsed(clock.now() - startedAtMs);
    const piece = count === 1 ? '' : ` piece ${String(latest + 1)} of ${String(count)}`;
    return `speaking${piece} · ${total === 0 ? '' : `${formatBytes(total)} · `}${elapsed}`;
  };
  const spinner = await out.spinner(words());
  spinner.update(words);
  return {
    bytes: (index, bytes) => {
      total += bytes;
      // Two may be under way: the later one is told.
      if (index <= latest) return;
      latest = index;
      spinner.update(words);
    },
    stop: () => {
      spinner.stop();
    },
  };
}
