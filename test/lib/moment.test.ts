import { afterEach, describe, expect, it, vi } from 'vitest';
import { calendarAt, dayOf, parseMoment, timeZoneAt } from '../../src/lib/moment.js';

const nowMs = Date.UTC(2026, 10, 15, 12, 30);
const iso = (text: string, edge: 'start' | 'end') => {
  const ms = parseMoment(text, nowMs, edge);
  return ms === undefined ? undefined : new Date(ms).toISOString();
};

afterEach(() => vi.unstubAllEnvs());

describe('a moment', () => {
  it.each([
    ['7d', '2026-11-08T12:30:00.000Z', '2026-11-08T12:30:00.000Z'],
    ['2026-11-01', '2026-11-01T00:00:00.000Z', '2026-11-01T23:59:59.999Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z', '2024-02-29T23:59:59.999Z'],
    ['2026-02', '2026-02-01T00:00:00.000Z', '2026-02-28T23:59:59.999Z'],
    ['2026-11-01T10:00', '2026-11-01T10:00:00.000Z', '2026-11-01T10:00:59.999Z'],
    ['2026-11-01 10:00:05', '2026-11-01T10:00:05.000Z', '2026-11-01T10:00:05.999Z'],
    ['2026-11-01T01:00+03:00', '2026-10-31T22:00:00.000Z', '2026-10-31T22:00:59.999Z'],
    ['2026-11-01T23:00:00-0330', '2026-11-02T02:30:00.000Z', '2026-11-02T02:30:00.999Z'],
    [' 2026-11-01 ', '2026-11-01T00:00:00.000Z', '2026-11-01T23:59:59.999Z'],
  ])('written %s begins and ends where people think', (text, start, end) => {
    expect([iso(text, 'start'), iso(text, 'end')]).toEqual([start, end]);
  });

  it.each([
    '',
    '-7d',
    '9999999d',
    '2026-13-01',
    '2026-02-30',
    '2026-11-01T25:00',
    '2026-11-01T10:00+24:00',
    '1793536200',
  ])('is not %j', (text) => {
    expect(parseMoment(text, nowMs, 'start')).toBeUndefined();
  });

  it('is of today as the clock of the reader shows it, however long that day is', () => {
    const midnight = (day: number) => new Date(2026, 10, day).getTime();
    expect(parseMoment('today', nowMs, 'start')).toBe(midnight(15));
    expect(parseMoment(' Today', nowMs, 'end')).toBe(midnight(16) - 1);
    expect(parseMoment('yesterday', nowMs, 'start')).toBe(midnight(14));
    expect(parseMoment('yesterday', nowMs, 'end')).toBe(midnight(15) - 1);
    const firstMs = new Date(2026, 2, 1, 0, 30).getTime();
    expect(parseMoment('yesterday', firstMs, 'start')).toBe(new Date(2026, 1, 28).getTime());
  });

  it.each([
    ['2026-11-01', '2026-10-31T23:00:00.000Z', '2026-11-01T22:59:59.999Z'],
    ['2026-10', '2026-09-30T22:00:00.000Z', '2026-10-31T22:59:59.999Z'],
    // Days of 23 and of 25 hours.
    ['2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T21:59:59.999Z'],
    ['2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T22:59:59.999Z'],
    ['2026-11-01T10:00', '2026-11-01T09:00:00.000Z', '2026-11-01T09:00:59.999Z'],
    ['2026-11-01T10:00Z', '2026-11-01T10:00:00.000Z', '2026-11-01T10:00:59.999Z'],
  ])('written %s is of the clock of the reader, in Berlin', (text, start, end) => {
    vi.stubEnv('TZ', 'Europe/Berlin');
    expect([iso(text, 'start'), iso(text, 'end')]).toEqual([start, end]);
  });

  it('is of a day of the clock of the reader', () => {
    for (const [zone, day] of [
      ['UTC', '2026-11-01'],
      ['Asia/Tokyo', '2026-11-02'],
    ] as const) {
      vi.stubEnv('TZ', zone);
      expect(dayOf(Date.UTC(2026, 10, 1, 23, 59, 59, 999))).toBe(day);
    }
  });
});

describe('the calendar of the reader', () => {
  it.each([
    ['Europe/Moscow', '2026-11-30T21:00Z', '2026-11-30T21:00Z', 24, '2026-11-30T21:00Z'],
    ['Asia/Kolkata', '2026-11-30T18:30Z', '2026-11-30T18:30Z', 24, '2026-11-30T18:30Z'],
    ['Europe/Berlin', '2026-03-29T12:00Z', '2026-03-28T23:00Z', 23, '2026-02-28T23:00Z'],
    ['Europe/Berlin', '2026-10-25T12:00Z', '2026-10-24T22:00Z', 25, '2026-09-30T22:00Z'],
    // Days without a midnight, and with two of them.
    ['Africa/Cairo', '2026-04-24T12:00Z', '2026-04-23T22:00Z', 23, '2026-03-31T22:00Z'],
    ['America/Havana', '2026-11-01T12:00Z', '2026-11-01T04:00Z', 25, '2026-11-01T04:00Z'],
    // Samoa went from the 29th to the 31st of December.
    ['Pacific/Apia', '2011-12-30T09:59Z', '2011-12-29T10:00Z', 24, '2011-12-01T10:00Z'],
  ])('in %s at %s has a day from %s, of %i hours, and a month', (zone, at, start, hours, month) => {
    vi.stubEnv('TZ', zone);
    const calendar = calendarAt(Date.parse(at));
    const { startMs, endMs } = calendar.day;
    expect([startMs, calendar.month.startMs]).toEqual([Date.parse(start), Date.parse(month)]);
    expect((endMs - startMs) / 3_600_000).toBe(hours);
    expect(calendarAt(endMs).day.startMs).toBe(endMs);
    expect(calendarAt(calendar.month.endMs).month.startMs).toBe(calendar.month.endMs);
  });

  it.each([
    ['Europe/Moscow', 'Europe/Moscow'],
    // What is no zone is UTC to Node; by POSIX, the sign says what to add to reach UTC.
    ['', 'UTC'],
    ['Mars/Phobos', 'UTC'],
    ['Etc/GMT-3', 'UTC+03:00'],
    ['MSK-3', 'UTC+03:00'],
    ['XXX3', 'UTC-03:00'],
  ])('with TZ=%j names the zone %s', (zone, name) => {
    vi.stubEnv('TZ', zone);
    expect(timeZoneAt(nowMs)).toBe(name);
  });
});
