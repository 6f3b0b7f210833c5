/** Work that is paid for when it is asked for, and whose result is lost when it is broken off. */
import type { Client } from '../api/client.js';
import { mayBeCharged } from '../api/failure.js';
import type { Context } from '../cli/context.js';
import { SvcError } from '../errors.js';
import { AttemptFailed, type HttpRequest, type Sink, type Transport } from '../http/types.js';
import { ReaderGone } from '../terminal/writer.js';

/**
 * Does the work with a client that knows what is under way: a person who interrupts that is told
 * that it may cost all the same.
 * @param work calls `told` when it has said so itself.
 */
export async function mayCost<Result>(
  { out, onward, signal }: Pick<Context, 'out' | 'onward' | 'signal'>,
  client: Client,
  work: (paying: Client, told: () => void) => Promise<Result>,
): Promise<Result> {
  const underWay = new Set<HttpRequest>();
  try {
    return await work({ ...client, transport: watching(client, signal, underWay) }, () =>
      underWay.clear(),
    );
  } catch (error) {
    const reason: unknown = signal.reason;
    // A gone reader wants no word, and a full disk has its own.
    const isPerson =
      signal.aborted && !(reason instanceof ReaderGone || reason instanceof SvcError);
    if (isPerson && underWay.size > 0) {
      out.error(onward(`what was under way ${mayBeCharged}`));
    }
    throw error;
  }
}

/** Only what is posted is paid for. What has ended before the interruption is no more under way. */
function watching(
  { transport }: Client,
  signal: AbortSignal,
  underWay: Set<HttpRequest>,
): Transport {
  return async (request) => {
    if (request.method !== 'POST') return transport(request);
    const ended = () => {
      if (!signal.aborted) underWay.delete(request);
    };
    underWay.add(request);
    try {
      const response = await transport(request);
      if (response.status >= 300) underWay.delete(request);
      const pour = (sink: Sink) => response.pour(sink).finally(ended);
      return { ...response, pour };
    } catch (error) {
      if (error instanceof AttemptFailed && !error.sent) underWay.delete(request);
      ended();
      throw error;
    }
  };
}
