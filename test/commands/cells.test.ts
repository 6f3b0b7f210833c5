import { expect, test } from 'vitest';
import {
  distanceCell,
  fullMomentCell,
  rubCell,
  rubCellOf,
  rubWords,
} from '../../src/commands/cells.js';
import { parseJson, recordOf } from '../../src/lib/json.js';
import { localMoment } from '../../src/lib/moment.js';

const nowMs = Date.UTC(2026, 10, 1, 12);
const at = '2026-11-01T11:58:00.000Z';
const clock = { now: () => nowMs };
const screenOf = (isTerminal: boolean) => ({ out: { isTerminal }, clock });

test('a price is grouped for people, and has its currency for a pipe where it stands alone', () => {
  expect(rubWords(screenOf(true), 12_345.5)).toBe('12,345.50 RUB');
  expect(rubWords(screenOf(false), 12_345.5)).toBe('12345.50 RUB');
});

test('a price in a table is a plain number for a pipe, with the digits of the service', () => {
  expect(rubCell(screenOf(true), 12_345.5)).toBe('12,345.50 RUB');
  expect(rubCell(screenOf(false), 0.1 + 0.2)).toBe('0.3');
  const record = recordOf(parseJson('{"priceRub":1.10,"model":"m"}'));
  expect(rubCellOf(screenOf(false), record, 'priceRub')).toBe('1.10');
  expect(rubCellOf(screenOf(true), record, 'priceRub')).toBe('1.10 RUB');
  expect(rubCellOf(screenOf(false), record, 'model')).toBe('');
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
