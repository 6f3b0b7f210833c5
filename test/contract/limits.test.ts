/** What no schema holds: defaults, rates and totals, as the document gives them. */
import { expect, test } from 'vitest';
import * as limits from '../../src/contract/limits.js';

test('defaults are those of sections 2.3, 2.9 and 8', () => {
  expect(limits.temperature.default).toBe(1);
  expect(limits.search.results.default).toBe(10);
  expect(limits.images.list.default).toBe(20);
  expect(limits.tickets.list.default).toBe(20);
  expect(limits.historyPage.default).toBe(20);
});

test('rates are those of section 8', () => {
  expect(limits.search.requestsPerMinute).toBe(32);
  expect(limits.tickets.newPerHour).toBe(10);
  expect(limits.tickets.repliesPerHour).toBe(60);
  expect(limits.voice.additionsPerDay).toBe(20);
});

test('totals and times are those of section 8', () => {
  expect(limits.tickets.attachments.perTicket).toBe(10);
  expect(limits.voice.totalSeconds).toBe(300);
  expect(limits.media.resultRetentionDays).toBe(7);
  expect(limits.media.sandboxUnknownSeconds).toBe(60);
});

test('the ranges a person may give are those of section 2.3', () => {
  expect(limits.temperature).toMatchObject({ min: 0, max: 2 });
  expect(limits.topP).toEqual({ min: 0, max: 1 });
});

test('a megabyte is the one that the body limit of voices was counted with', () => {
  const base64Bytes = 4 * Math.ceil(limits.voice.totalBytes / 3);
  expect(limits.voice.bodyBytes - base64Bytes).toBe(1024 * 1024);
});

test.each([
  ['voice_AbCdEfGhIjKlMnOpQrS1', true],
  ['voice_AbCdEfGhIjKlMnOpQrS', false],
  ['voice_AbCdEfGhIjKlMnOpQrS12', false],
  ['voice_AbCdEfGhIjKlMnOpQr-1', false],
  ['xvoice_AbCdEfGhIjKlMnOpQrS1', false],
])('%s is a voice id: %s', (id, expected) => {
  expect(limits.voice.id.test(id)).toBe(expected);
});
