/** Work that is paid for when it is asked for, and whose result is lost when it is broken off. */
import { mayBeCharged } from '../api/hints.js';
import type { Context } from '../cli/context.js';
import { ReaderGone } from '../terminal/writer.js';

/** Does the work; a person who interrupts it is told that it may cost all the same. */
export async function mayCost<Result>(
  { out, onward, signal }: Pick<Context, 'out' | 'onward' | 'signal'>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted && !(signal.reason instanceof ReaderGone)) {
      out.error(onward(`what was under way ${mayBeCharged}`));
    }
    throw error;
  }
}
