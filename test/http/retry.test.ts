import { describe, expect, it, vi } from 'vitest';
import type { RetryClass } from '../../src/contract/endpoint.js';
import { Deadline } from '../../src/http/deadline.js';
import { retryAfterMs, type AttemptOutcome } from '../../src/http/retry.js';
import { AttemptFailed, BodyCut } from '../../src/http/types.js';
import { ManualClock } from '../helpers/manual-clock.js';

const classes = ['safe', 'idempotent', 'never'] as const;

function decide(
  retry: RetryClass,
  outcome: AttemptOutcome,
  { attempt = 1, maxAttempts = 3, remainingMs = Infinity, random = 0.5 } = {},
) {
  const clock = new ManualClock({ now: 0, random });
  const deadline = new Deadline({ clock, deadlineMs: remainingMs });
  return deadline.decide(retry, attempt, outcome, maxAttempts);
}

function status(code: number, retryAfterMs?: number): AttemptOutcome {
  return { status: code, retryAfterMs };
}

function failed(reason: AttemptFailed['reason'], sent: boolean): AttemptOutcome {
  return { failure: new AttemptFailed(reason, sent, 'it failed') };
}

const cut = (reason: BodyCut['reason']): AttemptOutcome => ({
  failure: new BodyCut(reason, 'cut'),
});
const unlessCharged = ['safe', 'idempotent'];

describe('whether a call is sent again', () => {
  it.each<[string, readonly AttemptOutcome[], readonly string[]]>([
    [
      'is so for every call when nothing was sent',
      [failed('connect', false), failed('connect-timeout', false)],
      classes,
    ],
    [
      'is never so for a call that may be charged once its bytes have left',
      [
        ...[failed('reset', true), failed('first-byte-timeout', true)],
        ...[cut('reset'), cut('truncated'), cut('idle-timeout')],
      ],
      unlessCharged,
    ],
    [
      'is not so for what another attempt would only repeat',
      [
        ...(['resolve', 'tls', 'proxy-login', 'aborted', 'deadline', 'body'] as const).map(
          (reason) => failed(reason, false),
        ),
        ...[failed('protocol', true), cut('aborted')],
      ],
      [],
    ],
    [
      'is so for a failing service unless the call may be charged',
      [...[408, 500, 502, 503, 504].map((code) => status(code)), status(503, 1000)],
      unlessCharged,
    ],
    [
      'is not so for an answer that stands',
      [200, 202, 302, 400, 401, 402, 403, 404, 409, 410, 413, 422, 501].map((code) => status(code)),
      [],
    ],
  ])('%s', (_, outcomes, expected) => {
    for (const outcome of outcomes) {
      expect(classes.filter((retry) => decide(retry, outcome))).toEqual(expected);
    }
  });

  it('is refused when the service asks to wait for longer than a day', () => {
    const dayMs = 86_400_000;
    expect(decide('safe', status(429, dayMs - 1000))).toBeDefined();
    expect(decide('safe', status(429, dayMs))).toBeUndefined();
    expect(decide('never', status(429, 999_999_999_000))).toBeUndefined();
    expect(decide('safe', status(503, Infinity))).toBeUndefined();
  });

  it('ends after three attempts in all', () => {
    const kinds = [1, 2, 3, 4].map((attempt) => decide('safe', status(503), { attempt })?.kind);
    expect(kinds).toEqual(['wait', 'wait', undefined, undefined]);
  });
});

describe('how long it waits', () => {
  it('is full jitter over a time that doubles up to eight seconds', () => {
    const maxAttempts = 99;
    const waits = [1, 2, 3, 4, 5, 6, 21].map((attempt) =>
      decide('safe', status(500), { attempt, maxAttempts }),
    );
    expect(waits.map((wait) => wait?.delayMs)).toEqual([250, 500, 1000, 2000, 4000, 4000, 4000]);
    expect(decide('safe', status(500), { random: 0 })).toMatchObject({ delayMs: 0 });
  });

  it('is what the service asked for, to the millisecond, however long', () => {
    expect(decide('never', status(429, 37_000))).toMatchObject({ delayMs: 37_000 });
    expect(decide('safe', status(503, 3_600_000))).toMatchObject({ delayMs: 3_600_000 });
    expect(decide('safe', status(429, 0))).toMatchObject({ delayMs: 0 });
  });

  it('is not begun when it does not fit before the deadline', () => {
    expect(decide('safe', status(429, 10_000), { remainingMs: 9999 })).toBeUndefined();
    expect(decide('safe', status(429, 10_000), { remainingMs: 10_001 })).toBeDefined();
    expect(decide('safe', status(500), { remainingMs: 100 })).toBeUndefined();
    expect(decide('safe', status(500), { remainingMs: -5, random: 0 })).toBeUndefined();
  });
});

it.each<readonly [string | undefined, number | undefined]>([
  ['37', 37_000],
  [' 0 ', 0],
  ['Fri, 02 Jan 2026 03:05:05 GMT', 60_000],
  ['Friday, 02-Jan-26 03:04:15 GMT', 10_000],
  ['Fri, 02 Jan 2026 03:04:04 GMT', 0],
  ['Fri Jan  2 03:05:05 2026', 60_000],
  [undefined, undefined],
  // What cannot be read is a wait without end.
  ...['', 'soon', '-5', '1.5', '1e99', '9'.repeat(400), '2026-01-02', 'Mon, x'].map(
    (header) => [header, Infinity] as const,
  ),
])('Retry-After %j asks to wait for %j ms', (header, ms) => {
  for (const zone of ['Asia/Tokyo', 'UTC']) {
    vi.stubEnv('TZ', zone);
    expect(retryAfterMs(header, Date.UTC(2026, 0, 2, 3, 4, 5)), zone).toBe(ms);
  }
  vi.unstubAllEnvs();
});
