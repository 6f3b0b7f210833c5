/** How much of a recording has been sent, as one line on a terminal. */
import type { Context } from '../../cli/context.js';
import type { StreamedBody } from '../../http/types.js';
import { formatElapsed } from '../../lib/duration.js';
import { progressLine } from '../jobs/progress.js';

export interface Sending {
  /** The same body, telling how far it has come. */
  watch(body: StreamedBody): StreamedBody;
  stop(): void;
}

/** @param totalBytes of all bodies together. */
export async function openSending(
  { out, flags, clock }: Context,
  totalBytes: number,
): Promise<Sending> {
  if (flags.json) return { watch: (body) => body, stop: () => undefined };
  let bytes = 0;
  let sentAtMs: number | undefined;
  const words = () =>
    sentAtMs === undefined
      ? progressLine([{ bytes, totalBytes }], 1, 'sending')
      : `listening · ${formatElapsed(clock.now() - sentAtMs)}`;
  const spinner = await out.spinner(words());
  return {
    watch: (body) => ({
      length: body.length,
      open: async function* () {
        sentAtMs = undefined;
        let sent = 0;
        try {
          for await (const piece of body.open()) {
            yield piece;
            sent += piece.length;
            bytes += piece.length;
            spinner.update(words);
          }
          sentAtMs = clock.now();
          spinner.update(words);
        } finally {
          // One that is not sent to its end is sent again from its start, or not at all.
          if (sent < body.length) bytes -= sent;
        }
      },
    }),
    stop: () => {
      spinner.stop();
    },
  };
}
