import { describe, expect, it } from 'vitest';
import type { Refused } from '../../src/api/refusal.js';
import { chat, image, own, refuse } from './refusing.js';

describe('whether a failing call may have been charged', () => {
  it('is not in question for a call that charges nothing', () => {
    for (const status of [500, 502, 503, 504]) expect(refuse(status).outcomeUnknown).toBe(false);
  });

  it('is so unless the service itself refuses it, with a status that is listed for it or not', () => {
    expect(refuse(500, '', { row: chat }).outcomeUnknown).toBe(true);
    for (const status of [408, 502, 503, 529]) {
      expect(refuse(status, own, { row: image }).outcomeUnknown, String(status)).toBe(false);
      expect(refuse(status, own, { row: chat }).outcomeUnknown, String(status)).toBe(false);
    }
  });

  it('is so when the service itself only failed, unless that is listed for it', () => {
    expect(refuse(500, own, { row: image }).outcomeUnknown).toBe(true);
    const row: Refused['row'] = { ...image, statuses: [200, 500] };
    expect(refuse(500, own, { row }).outcomeUnknown).toBe(false);
  });

  const forms: [string, unknown][] = [
    ['media', own],
    ['tickets', { error: 'It failed', code: 'failed' }],
    ['the chat format', { error: { message: 'It failed', type: 'server_error', code: null } }],
    ['the messages format', { type: 'error', error: { type: 'api_error', message: 'It failed' } }],
  ];
  it.each(forms)('is said by the service alone, in the form of %s', (_, body) => {
    expect(refuse(502, body, { row: image }).outcomeUnknown).toBe(false);
  });

  const notOwn: [string, unknown][] = [
    ['nothing', ''],
    ['an HTML page', '<html><title>502 Bad Gateway</title></html>'],
    ['JSON that breaks off', '{"ok":false,"code":"failed","message":"It fa'],
    ['a message alone', { message: 'Internal server error' }],
    ['an error alone', { status: 502, error: 'Bad Gateway', path: '/v1/x' }],
    ['a numeric code', { code: 14, message: 'upstream connect error', details: [] }],
    [
      'the error of another service',
      { error: { code: 502, message: 'No', status: 'UNAVAILABLE' } },
    ],
  ];
  it.each(notOwn)('is not known from %s', (_, body) => {
    for (const status of [408, 500, 502, 503, 504, 520]) {
      expect(refuse(status, body, { row: image }).outcomeUnknown, String(status)).toBe(true);
      expect(refuse(status, body).outcomeUnknown, String(status)).toBe(false);
    }
    // Judged before the request went on, whoever says so.
    for (const status of [403, 404, 413, 429, 501]) {
      expect(refuse(status, body, { row: image }).outcomeUnknown, String(status)).toBe(false);
    }
  });

  it('is so when the service itself ran out of time, listed or not', () => {
    expect(refuse(504, '', { row: image })).toMatchObject({
      outcomeUnknown: true,
      hint: expect.stringContaining('`svc image list`'),
    });
  });

  it('is not so for a refusal of the request', () => {
    for (const status of [400, 401, 402, 404, 409, 422, 429, 501]) {
      expect(refuse(status, '', { row: chat }).outcomeUnknown, String(status)).toBe(false);
    }
  });
});

describe('the words for a call that may have been carried out', () => {
  it.each([
    ['', 'the service answered 502'],
    [
      '<html><title>502 Bad Gateway</title>',
      'the service answered 502 with an HTML page (502 Bad Gateway)',
    ],
    ['{"error":{"mess', 'the service answered 502 with JSON that breaks off'],
    ['upstream connect error', 'upstream connect error'],
    [{ message: 'Internal server error' }, 'Internal server error'],
  ])('claim nothing of a call that may be charged where %j is all that came', (body, words) => {
    expect(refuse(502, body, { row: image }).message).toBe(
      `${words}; it may have been carried out and charged`,
    );
    const row: Refused['row'] = { ...image, id: 'tickets.reply' };
    expect(refuse(502, body, { row }).message).toBe(`${words}; it may have been carried out`);
  });
});
