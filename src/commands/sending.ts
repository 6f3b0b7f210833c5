/** How far a body with files has been sent, as one line. */
import type { Payload } from '../api/prepare.js';
import type { Context } from '../cli/context.js';
import { formatBytes } from '../lib/amounts.js';
import { formatElapsed } from '../lib/duration.js';

/**
 * Does the work with a body that tells how much of it has been sent.
 * @param after what goes on once all of it has been sent: `making the voice`.
 */
export async function whileSending<Result>(
  { clock, flags, out }: Pick<Context, 'clock' | 'flags' | 'out'>,
  { contentType, body }: Payload,
  after: string,
  work: (payload: Payload) => Promise<Result>,
): Promise<Result> {
  if (flags.json || !out.isErrorTerminal || typeof body === 'string' || !('open' in body)) {
    return work({ contentType, body });
  }
  const { length, open } = body;
  let sent = 0;
  let sentAtMs = 0;
  const words = () =>
    sent < length
      ? `sending ${formatBytes(sent)} of ${formatBytes(length)}`
      : `${after} · ${formatElapsed(clock.now() - sentAtMs)}`;
  const spinner = await out.spinner(words());
  const counted = async function* () {
    sent = 0;
    for await (const piece of open()) {
      yield piece;
      sent += piece.length;
      sentAtMs = clock.now();
      spinner.update(words);
    }
  };
  try {
    return await work({ contentType, body: { ...body, open: counted } });
  } finally {
    spinner.stop();
  }
}
