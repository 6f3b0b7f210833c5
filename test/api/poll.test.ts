import { describe, expect, it } from 'vitest';
import { poll, type Polling } from '../../src/api/poll.js';
import { ApiError, NetworkError, OutcomeUnknown, Pending, TimeoutError } from '../../src/errors.js';
import { ManualClock, SkippingClock } from '../helpers/manual-clock.js';
import { rejection } from '../http/rig.js';

const pending = (last: string | undefined) => ({
  message: `still ${last ?? 'unknown'}`,
  hint: 'come back: `svc jobs wait j1`',
});

/** Answers in turn, the last one forever; errors are thrown. */
function asking(
  answers: readonly (string | Error)[],
  more: Partial<Polling<string>> = {},
): Polling<string> & { asked: () => number } {
  let asked = 0;
  return {
    clock: new SkippingClock(),
    ask: () => {
      const answer = answers[Math.min(asked, answers.length - 1)] ?? 'done';
      asked += 1;
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    isDone: (state) => state === 'done',
    pending,
    ...more,
    asked: () => asked,
  };
}

it('asks at once, then less and less often', async () => {
  const clock = new SkippingClock();
  await poll(asking([...Array<string>(9).fill('processing'), 'done'], { clock }));
  expect(clock.sleeps).toEqual([1000, 1500, 2250, 3375, 5062.5, 7593.75, 10_000, 10_000, 10_000]);
});

describe('errors while polling', () => {
  const down = new NetworkError('no network');
  const late = new TimeoutError('late');
  const nonsense = new ApiError('nothing', { status: 200, code: 'invalid_reply' });
  const failing = [502, 503, 504, 500, 429, 408].map((status) => new ApiError('busy', { status }));
  const page = new ApiError('no', { status: 404, isForeign: true });
  const unreadable = [...Array<Error>(9).fill(nonsense), 'processing', nonsense];

  it.each([
    ['the network or the service fails', 9, [down, late, ...failing, 'processing', down]],
    ['an answer cannot be read', 10, unreadable],
    ['a gateway says that there is no such job', 2, [page, 'processing', page]],
  ])('is waited out when %s', async (_, troubles, answers) => {
    let seen = 0;
    const onTrouble = () => {
      seen += 1;
    };
    expect(await poll(asking([...answers, 'done'], { onTrouble }))).toBe('done');
    expect(seen).toBe(troubles);
  });

  it('waits as long as the service asks', async () => {
    const clock = new SkippingClock();
    const busy = new ApiError('busy', { status: 429, retryAfterMs: 37_000 });
    await poll(asking([busy, 'done'], { clock }));
    expect(clock.sleeps).toEqual([37_000]);
  });

  const refusals = [404, 401, 403, 400, 501].map((status) => new ApiError('no', { status }));
  const absurd = [86_400_000, Infinity].map(
    (retryAfterMs) => new ApiError('busy', { status: 429, retryAfterMs }),
  );
  it.each([...refusals, ...absurd, new OutcomeUnknown('?'), new Error('bug')])(
    'ends it when the request itself is refused, or the wait is absurd: %s',
    async (error) => {
      const polling = asking(['processing', error, 'done']);
      expect(await rejection(poll(polling))).toBe(error);
      expect(polling.asked()).toBe(2);
    },
  );

  it('ends it when no answer can be read', async () => {
    const polling = asking([nonsense]);
    expect(await rejection(poll(polling))).toBe(nonsense);
    expect(polling.asked()).toBe(10);
  });
});

describe('the deadline of polling', () => {
  it('ends it as pending, with the way to come back, after a last look', async () => {
    const clock = new SkippingClock();
    const polling = asking(['processing'], { clock, deadlineMs: 4000 });
    const error = await rejection(poll(polling));
    expect(error).toBeInstanceOf(Pending);
    expect(error).toMatchObject(pending('processing'));
    expect(clock.sleeps).toEqual([1000, 1500, 1500]);
    expect(polling.asked()).toBe(4);
  });

  it('does not discard a result that is found at the last look', async () => {
    expect(await poll(asking(['processing', 'done'], { deadlineMs: 500 }))).toBe('done');
  });
});

it('ends at once when it is aborted', async () => {
  const abort = new AbortController();
  const reason = new Error('Ctrl-C');
  const clock = new ManualClock();
  const failed = rejection(poll(asking(['processing'], { clock, signal: abort.signal })));
  await Promise.resolve();
  await Promise.resolve();
  abort.abort(reason);
  expect(await failed).toBe(reason);
});
