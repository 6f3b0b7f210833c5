import { expect, test } from 'vitest';
import { distanceCell, fullMomentCell, rubCell } from '../../src/commands/cells.js';
import { localMoment } from '../../src/lib/moment.js';

const nowMs = Date.UTC(2026, 10, 1, 12);
const at = '2026-11-01T11:58:00.000Z';
const clock = { now: () => nowMs };
const screenOf = (isTerminal: boolean) => ({ out: { isTerminal }, clock });

test('a price is grouped for people, and a number with its currency for a pipe', () => {
  expect(rubCell(screenOf(true), 12_345.5)).toBe('12,345.50 RUB');
  expect(rubCell(screenOf(false), 12_345.5)).toBe('12345.50 RUB');
});

test('a time is a distance for people, with the local time where one thing is shown', () => {
  expect(distanceCell(screenOf(true), at)).toBe('2 min ago');
  expect(distanceCell(screenOf(true), nowMs + 5 * 86_400_000)).toBe('in 5 d');
  const local = localMoment(Date.parse(at));
  expect(local).toMatch(/^2026-1[01]-\d\d \d\d:\d\d$/);
  expect(fullMomentCell(screenOf(true), at)).toBe(`${local} (2 min ago)`);
});

test('a time is exact in a pipe, and what is not a time is unchanged', () => {
  expect(distanceCell(screenOf(false), at)).toBe(at);
  expect(distanceCell(screenOf(false), nowMs)).toBe('2026-11-01T12:00:00.000Z');
  expect(distanceCell(screenOf(true), 'soon')).toBe('soon');
  expect(distanceCell(screenOf(true), undefined)).toBe('');
});
