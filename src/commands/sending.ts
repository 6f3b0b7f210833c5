/** How far bodies with files have been sent, as one line. */
import type { Payload } from '../api/prepare.js';
import type { Context } from '../cli/context.js';
import type { StreamedBody } from '../http/types.js';
import { progressLine } from '../jobs/collect.js';
import { formatElapsed } from '../lib/duration.js';

export interface Sending {
  watch(body: StreamedBody): StreamedBody;
  stop(): void;
}

/** @param after what goes on once a body has been sent: `making the voice`. */
export async function openSending(
  { clock, flags, out, signal }: Context,
  totalBytes: number,
  after: string,
): Promise<Sending> {
  if (flags.json) return { watch: (body) => body, stop: () => undefined };
  let bytes = 0;
  let sentAtMs: number | undefined;
  const words = () =>
    sentAtMs === undefined
      ? progressLine([{ bytes, totalBytes }], 1, 'sending')
      : `${after} · ${formatElapsed(clock.now() - sentAtMs)}`;
  const spinner = await out.spinner(words());
  const stop = () => spinner.stop();
  signal.addEventListener('abort', stop, { once: true });
  const open = async function* (body: StreamedBody) {
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
    } finally {
      // One that is not sent to its end is sent again from its start, or not at all.
      if (sent < body.length) bytes -= sent;
    }
  };
  return { watch: (body) => ({ length: body.length, open: () => open(body) }), stop };
}

export async function whileSending<Result>(
  context: Context,
  { contentType, body }: Payload,
  after: string,
  work: (payload: Payload) => Promise<Result>,
): Promise<Result> {
  if (typeof body === 'string' || !('open' in body)) return work({ contentType, body });
  const sending = await openSending(context, body.length, after);
  try {
    return await work({ contentType, body: { ...body, ...sending.watch(body) } });
  } finally {
    sending.stop();
  }
}
