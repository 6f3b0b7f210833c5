/** The progress of work, as one line on a terminal. */
import type { Payload } from '../api/prepare.js';
import type { Context } from '../context.js';
import type { StreamedBody } from '../http/types.js';
import { progressLine } from '../jobs/collect.js';
import { formatElapsed } from '../lib/duration.js';

export async function showProgress(
  { flags, out, signal }: Context,
  words: () => string,
): Promise<() => void> {
  if (flags.json) return () => undefined;
  const spinner = await out.spinner(words());
  spinner.update(words);
  const stop = () => spinner.stop();
  signal.addEventListener('abort', stop, { once: true });
  return stop;
}

/** @param after what happens once the body has been sent: `making the voice`. */
export async function openSending(context: Context, totalBytes: number, after: string) {
  const { clock } = context;
  let bytes = 0;
  let sentAtMs: number | undefined;
  const stop = await showProgress(context, () =>
    sentAtMs === undefined
      ? progressLine([{ bytes, totalBytes }], 1, 'sending')
      : `${after} · ${formatElapsed(clock.now() - sentAtMs)}`,
  );
  const open = async function* (body: StreamedBody) {
    sentAtMs = undefined;
    let sent = 0;
    try {
      for await (const piece of body.open()) {
        yield piece;
        sent += piece.length;
        bytes += piece.length;
      }
      sentAtMs = clock.now();
    } finally {
      // An interrupted body is sent again from its start, or not at all.
      if (sent < body.length) bytes -= sent;
    }
  };
  const watch = (body: StreamedBody) => ({ length: body.length, open: () => open(body) });
  return { watch, stop };
}

export async function whileSending<Result>(
  context: Context,
  { contentType, body }: Payload,
  after: string,
  work: (payload: Payload) => Promise<Result>,
): Promise<Result> {
  if (typeof body === 'string' || !('open' in body)) return work({ contentType, body });
  const { watch, stop } = await openSending(context, body.length, after);
  return work({ contentType, body: { ...body, ...watch(body) } }).finally(stop);
}
