import { describe, expect, test } from 'vitest';
import { Limits, type LimitOptions } from '../../src/batch/limits.js';
import { seeded } from '../helpers/random.js';

interface Reply {
  readonly what: 'answered' | 'refused' | 'failed';
  readonly afterMs: number;
  readonly tokens?: number;
  readonly retryAfterMs?: number;
}

/** What a service replies to a request that is sent at a time, with others in flight. */
type Service = (nowMs: number, inFlight: number) => Reply;

interface Sent extends Reply {
  readonly atMs: number;
}

const random = (seed: number) => {
  const source = seeded(seed);
  return () => source.below(1_000_000) / 1_000_000;
};

const limitsWith = (given: Omit<LimitOptions, 'random'> = {}) =>
  new Limits({ ...given, random: random(1) });

/** Sends all that the limits allow, on a clock of whole milliseconds; everything that was sent. */
function drive(limits: Limits, untilMs: number, service: Service, estimate = 0) {
  const sent: Sent[] = [];
  const due = new Map<number, Sent[]>();
  let [inFlight, most] = [0, 0];
  for (let nowMs = 0; nowMs < untilMs; nowMs += 1) {
    for (const { what, atMs, tokens = 0, retryAfterMs } of due.get(nowMs) ?? []) {
      inFlight -= 1;
      if (what === 'answered') limits.answered(nowMs, nowMs - atMs, tokens);
      else if (what === 'refused') limits.refused(nowMs, retryAfterMs);
      else limits.failed(nowMs, true);
    }
    due.delete(nowMs);
    while (limits.waitMs(nowMs) === 0) {
      limits.sent(nowMs, estimate);
      inFlight += 1;
      most = Math.max(most, inFlight);
      const one = { ...service(nowMs, inFlight), atMs: nowMs };
      sent.push(one);
      const atMs = nowMs + one.afterMs;
      const others = due.get(atMs);
      if (others) others.push(one);
      else due.set(atMs, [one]);
    }
  }
  return { sent, most };
}

/** The largest sum over any window of this length. */
function mostIn(
  windowMs: number,
  sent: readonly Sent[],
  weight: (one: Sent) => number = () => 1,
): number {
  let [first, sum, most] = [0, 0, 0];
  for (const one of sent) {
    sum += weight(one);
    for (let old = sent[first]; old && old.atMs <= one.atMs - windowMs; old = sent[first]) {
      sum -= weight(old);
      first += 1;
    }
    most = Math.max(most, sum);
  }
  return most;
}

const during = (sent: readonly Sent[], fromMs: number, untilMs: number) =>
  sent.filter(({ atMs }) => atMs >= fromMs && atMs < untilMs);

/** Accepts so many requests in each window of this length. */
function windowed(count: number, windowMs: number, retryAfter = false): Service {
  let [window, used] = [0, 0];
  return (nowMs) => {
    const now = Math.floor(nowMs / windowMs);
    if (now !== window) [window, used] = [now, 0];
    used += 1;
    if (used <= count) return { what: 'answered', afterMs: 20 };
    // Whole seconds, rounded up, as services state them.
    const leftMs = Math.ceil(((now + 1) * windowMs - nowMs) / 1000) * 1000;
    return { what: 'refused', afterMs: 20, ...(retryAfter && { retryAfterMs: leftMs }) };
  };
}

const answer =
  (afterMs: number, tokens = 0): Service =>
  () => ({ what: 'answered', afterMs, tokens });

describe('given limits', () => {
  test.each([1, 30, 100, 1000, 24_000])('%i requests a minute are never exceeded', (rpm) => {
    const service = random(rpm);
    const { sent } = drive(limitsWith({ rpm }), 180_000, () => ({
      what: 'answered',
      afterMs: 1 + Math.floor(service() * 400),
    }));
    expect(mostIn(60_000, sent)).toBeLessThanOrEqual(rpm);
    expect(sent.length).toBeGreaterThanOrEqual(rpm * 3 * 0.98);
  });

  test('tokens a minute are not exceeded, though answers count more than was estimated', () => {
    const size = random(3);
    const service: Service = () => {
      return { what: 'answered', afterMs: 200, tokens: 100 + Math.floor(size() * 900) };
    };
    const { sent } = drive(limitsWith({ tpm: 60_000 }), 300_000, service, 50);
    const used = mostIn(60_000, sent, ({ tokens = 0 }) => tokens);
    expect(used).toBeLessThanOrEqual(60_000);
    expect(used).toBeGreaterThanOrEqual(60_000 * 0.92);
  });

  test('--concurrency is reached within a second and never exceeded', () => {
    const { sent, most } = drive(limitsWith({ concurrency: 100 }), 2000, answer(50));
    expect(most).toBe(100);
    expect(during(sent, 1000, 2000).length).toBe(2000);
  });
});

describe('limits that are learned', () => {
  test('64 requests are in flight after four round trips', () => {
    const { sent } = drive(limitsWith(), 51, answer(10));
    expect(during(sent, 40, 50).length).toBeGreaterThanOrEqual(64);
  });

  test('the number in flight falls where more of them only wait longer', () => {
    const workers = Array.from({ length: 20 }, () => 0);
    const { sent } = drive(limitsWith(), 300_000, (nowMs) => {
      const nth = workers.indexOf(Math.min(...workers));
      const doneMs = Math.max(nowMs, workers[nth] ?? 0) + 500;
      workers[nth] = doneMs;
      return { what: 'answered', afterMs: doneMs - nowMs };
    });
    const late = during(sent, 200_000, 300_000);
    const meanMs = late.reduce((sum, { afterMs }) => sum + afterMs, 0) / late.length;
    expect(meanMs).toBeLessThan(2500);
    expect(late.length).toBeGreaterThan(20 * 2 * 100 * 0.99);
  });

  test.each([false, true])('a limit of 400 a second is used and kept, Retry-After %s', (asks) => {
    const { sent } = drive(limitsWith(), 120_000, windowed(400, 1000, asks));
    const late = during(sent, 30_000, 120_000);
    const accepted = late.filter(({ what }) => what === 'answered').length;
    expect(accepted / (400 * 90)).toBeGreaterThanOrEqual(0.92);
    expect(1 - accepted / late.length).toBeLessThanOrEqual(0.01);
  });

  test('a limit by the minute is learned from its first pause; no storm follows', () => {
    const { sent } = drive(limitsWith(), 600_000, windowed(32, 60_000, true));
    const isRefused = ({ what }: Sent) => what === 'refused';
    expect(during(sent, 0, 60_000).filter(isRefused).length).toBeLessThanOrEqual(32);
    expect(during(sent, 60_000, 600_000).filter(isRefused).length).toBeLessThanOrEqual(9);
    expect(sent.length).toBeGreaterThanOrEqual(32 * 10 * 0.8);
  });

  test('Retry-After is obeyed to the millisecond, and what was answered late does not end it', () => {
    const limits = new Limits({ random: () => 0 });
    for (let nth = 0; nth < 3; nth += 1) limits.sent(0, 0);
    limits.refused(10, 1234);
    limits.answered(20, 20, 0);
    limits.refused(30, 1000);
    expect([20, 1243, 1244].map((nowMs) => limits.waitMs(nowMs))).toEqual([1224, 1, 0]);
  });

  test('256 refusals at once are one event', () => {
    const refusedOf = (count: number) => {
      const limits = new Limits({
        learnt: { perSecond: 200, inFlight: 256 },
        random: () => 0,
      });
      limits.sent(0, 0);
      limits.answered(0, 0, 0);
      for (let nth = 0; nth < 256; nth += 1) limits.sent(nth, 0);
      for (let nth = count; nth < 256; nth += 1) limits.answered(1000, 900, 0);
      for (let nth = 0; nth < count; nth += 1) limits.refused(1000, undefined);
      return limits.learnt?.perSecond;
    };
    expect(refusedOf(256)).toBe(refusedOf(1));
    expect(refusedOf(256)).toBeGreaterThan(160);
  });

  test('a service that only refuses is asked once in 30 seconds at least, and teaches nothing', () => {
    const limits = limitsWith();
    let nowMs = 0;
    for (let nth = 0; nth < 20; nth += 1) {
      limits.sent(nowMs, 0);
      limits.refused(nowMs + 50, undefined);
      const waitMs = limits.waitMs(nowMs + 50);
      expect(waitMs).toBeLessThan(65_000);
      nowMs += 50 + waitMs;
    }
    expect(limits.learnt).toBeUndefined();
  });

  test('an outage of ten seconds is waited out with few requests, then speed returns', () => {
    const isOut = (nowMs: number) => nowMs >= 10_000 && nowMs < 20_000;
    const { sent } = drive(limitsWith(), 40_000, (nowMs) => ({
      what: isOut(nowMs) ? 'failed' : 'answered',
      afterMs: 200,
    }));
    expect(during(sent, 10_000, 20_000).length).toBeLessThan(1000);
    const before = during(sent, 5000, 10_000).length;
    expect(during(sent, 30_000, 35_000).length).toBeGreaterThan(before * 0.95);
  });

  test('requests that fail for good do not slow the others down', () => {
    const limits = limitsWith();
    for (let nth = 0; nth < 100; nth += 1) {
      limits.sent(nth, 0);
      limits.failed(nth, false);
    }
    expect(limits.waitMs(100)).toBe(0);
  });

  test('a run starts at the rate that an earlier one learned, and finds a higher one', () => {
    const earlier = { perSecond: 50, inFlight: 64 };
    const { sent } = drive(limitsWith({ learnt: earlier }), 60_000, windowed(400, 1000));
    expect(during(sent, 0, 1000).length).toBeLessThanOrEqual(60);
    expect(during(sent, 50_000, 60_000).length).toBeGreaterThan(400 * 10 * 0.9);
  });

  test('nothing is learned where nothing was refused', () => {
    const limits = limitsWith();
    drive(limits, 1000, answer(10));
    expect(limits.learnt).toBeUndefined();
  });
});
