/** Questions for a list that has to come soon, however slow the service is, or out of reach. */
import { ApiError, NetworkError, SvcError, TimeoutError } from '../errors.js';
import type { Context } from '../cli/context.js';
import type { JobWorld } from './world.js';

/** Does something with the service, in the world that it is given. */
export type Ask = <Result>(work: (world: JobWorld) => Promise<Result>) => Promise<Result>;

/** With the whole patience of each call. */
export function atLeisure(world: JobWorld): Ask {
  return (work) => work(world);
}

/** A list that is a little out of date is better than none: after this long nothing more is asked. */
const patienceMs = 10_000;
/** One question, with all its attempts. */
const questionMs = 3000;

/**
 * For a short time in all; --timeout gives another one. When the first that is heard of the service
 * is that nothing is heard of it, nothing more is asked.
 * @returns what throws a TimeoutError when there was no answer in time.
 */
export function inHurry(world: JobWorld): Ask {
  const { clock, flags, onward } = world.context;
  const endsAtMs = clock.now() + (flags.timeoutMs ?? patienceMs);
  let hasAnswered = false;
  let silence: SvcError | undefined;
  return async (work) => {
    if (silence) throw silence;
    const leftMs = endsAtMs - clock.now();
    if (leftMs <= 0) throw late(onward);
    const deadlineMs = flags.timeoutMs === undefined ? questionMs : leftMs;
    try {
      const result = await work({ ...world, client: { ...world.client, deadlineMs } });
      hasAnswered = true;
      silence = undefined;
      return result;
    } catch (caught) {
      const isLate = caught instanceof SvcError && caught.code === 'deadline';
      const error = isLate ? late(onward, caught) : caught;
      if (error instanceof ApiError) hasAnswered = true;
      if (!hasAnswered && isSilence(error)) silence = error;
      throw error;
    }
  };
}

function isSilence(error: unknown): error is NetworkError | TimeoutError {
  return error instanceof NetworkError || error instanceof TimeoutError;
}

function late(onward: Context['onward'], cause?: SvcError): TimeoutError {
  const wayOn = onward('`svc jobs wait --all` gives it longer');
  const message = `the service did not answer in time; ${wayOn}`;
  return new TimeoutError(message, { code: 'deadline', cause });
}
