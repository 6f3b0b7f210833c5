import { describe, expect, it } from 'vitest';
import { retryAfterMs } from '../../src/http/retry.js';

const now = Date.UTC(2026, 0, 2, 3, 4, 5);

describe('Retry-After', () => {
  it('holds whole seconds', () => {
    expect(retryAfterMs('37', now)).toBe(37_000);
    expect(retryAfterMs(' 0 ', now)).toBe(0);
  });

  it('holds a date', () => {
    expect(retryAfterMs('Fri, 02 Jan 2026 03:05:05 GMT', now)).toBe(60_000);
    expect(retryAfterMs('Friday, 02-Jan-26 03:04:15 GMT', now)).toBe(10_000);
  });

  it('asks for no wait when its date has passed', () => {
    expect(retryAfterMs('Fri, 02 Jan 2026 03:04:04 GMT', now)).toBe(0);
  });

  it('says nothing when it is absent', () => {
    expect(retryAfterMs(undefined, now)).toBeUndefined();
  });

  it('is a wait without end when it cannot be read', () => {
    for (const header of [
      '',
      'soon',
      '-5',
      '1.5',
      '1e99',
      '9'.repeat(400),
      '2026-01-02',
      'Mon, x',
    ]) {
      expect(retryAfterMs(header, now), header).toBe(Infinity);
    }
  });
});
