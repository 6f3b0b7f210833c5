import { describe, expect, it } from 'vitest';
import { idsIn } from '../../src/api/prepare.js';
import { refusalOf, type Refused } from '../../src/api/refusal.js';
import { createDecisions } from '../../src/contract/decisions.js';
import { quotePrice } from '../../src/contract/media.js';
import { rememberSecret } from '../../src/lib/redact.js';
import { scripted, type Step } from '../helpers/scripted-transport.js';
import { getting } from '../http/rig.js';
import { balance, brand, chat, image, nowMs, own, refuse } from './refusing.js';

describe('the words of a refusal', () => {
  const shapes: [string, unknown, string, string | undefined][] = [
    [
      'the chat format',
      {
        error: {
          message: 'No such model',
          type: 'invalid_request_error',
          param: 'model',
          code: 'model_not_found',
        },
      },
      'No such model',
      'model_not_found',
    ],
    [
      'the chat format without a code',
      { error: { message: 'Bad', type: 'invalid_request_error', code: null } },
      'Bad',
      'invalid_request_error',
    ],
    [
      'the messages format',
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
      'Overloaded',
      'overloaded_error',
    ],
    [
      'media',
      { ok: false, code: 'unknown_field', message: 'Unknown field', field: 'a' },
      'Unknown field',
      'unknown_field',
    ],
    [
      'tickets',
      { error: 'The ticket is closed', code: 'closed' },
      'The ticket is closed',
      'closed',
    ],
    ['a detail', { detail: 'Not here' }, 'Not here', undefined],
    ['plain text', 'upstream connect error', 'upstream connect error', undefined],
  ];
  for (const [kind, body, message, code] of shapes) {
    it(`are the service's own in ${kind}`, () => {
      expect(refuse(400, body)).toMatchObject({ name: 'ApiError', status: 400, message, code });
    });
  }

  const wordless: [string, number, unknown, string][] = [
    ['an empty 401', 401, '', 'the service answered 401: key missing or invalid'],
    [
      'an HTML page',
      502,
      '<html><head><title>502 Bad\nGateway</title></head>',
      'the service answered 502 with an HTML page (502 Bad Gateway): provider refused or failed',
    ],
    [
      'an HTML page without a title',
      502,
      '<!DOCTYPE html><p>oops',
      'the service answered 502 with an HTML page: provider refused or failed',
    ],
    [
      'truncated JSON',
      500,
      '{"error":{"mess',
      'the service answered 500 with JSON that breaks off: the service failed',
    ],
  ];
  for (const [kind, status, body, message] of wordless) {
    it(`are ours, with the meaning of the status, for ${kind}`, () => {
      expect(refuse(status, body).message).toBe(message);
    });
  }

  it('take the meaning that the endpoint gives the status', () => {
    const row: Refused['row'] = { ...image, retry: 'safe' };
    expect(refuse(502, '', { row }).message).toBe(
      'the service answered 502: generation failed, nothing charged',
    );
    expect(refuse(504, '', { row }).message).toBe(
      'the service answered 504: still running; x-acme-media-job-id names the job',
    );
  });

  it('speak of a price only where one was asked for', () => {
    expect(refuse(500).message).toBe('the service answered 500: the service failed');
    expect(refuse(500, '', { row: quotePrice }).message).toBe(
      'the service answered 500: the price cannot be calculated',
    );
  });

  it('carry nothing that steers a terminal, and no key', () => {
    const message = 'no\u001b]0;owned\u0007 \u202esk-svc-abcdef0123456789 \r\nx';
    expect(refuse(400, { message }).message).toBe('no ]0;owned [key] x');
    expect(refuse(400, { message: 'a', code: 'b\u001b[31m' }).code).toBe('b [31m');
  });
});

describe('what a refusal carries', () => {
  it('is the parsed body, for what more it says', () => {
    const body = { message: 'No', violations: [{ path: 'opts.a' }] };
    expect(refuse(422, body).fields).toEqual(body);
    expect(refuse(422, 'text').fields).toEqual({});
  });

  it('is the ids that support can look up', () => {
    const ids = { 'request-id': 'r', 'generation-id': 'g', route: 'x', model: 'y' };
    expect(refuse(500, '', { ids }).requestIds).toEqual({
      'request-id': 'r',
      'generation-id': 'g',
    });
  });

  it.each([
    ['-5', 'it sent a Retry-After that cannot be read'],
    ['1e99', 'it sent a Retry-After that cannot be read'],
    ['864000', 'it asked to wait for longer than a day'],
  ])('is not a time that nobody waits for: %s', (after, words) => {
    const error = refuse(429, { message: 'Too fast' }, { headers: { 'retry-after': after } });
    expect(error.message).toBe(`Too fast; ${words}`);
    expect(error.hint).toMatch(/^wait (a little|10 days), then run it again$/);
  });

  it('is nothing that proves who asked, wherever the service echoes it', () => {
    const key = 'key-of-no-known-form';
    rememberSecret(key);
    const echo = { code: key, message: 'no', field: key, fields: [key], [key]: { a: [key] } };
    const told = refuse(400, { ok: false, ...echo });
    expect(JSON.stringify([told.code, told.message, told.fields])).not.toContain(key);
    expect(told.fields).toMatchObject({ field: '[key]', fields: ['[key]'] });
    const cut = `${'x '.repeat(245)}${key}`;
    for (const body of [{ message: cut }, cut, `<html><title>${cut.slice(-105)}</title>`]) {
      expect(refuse(400, body).message).not.toContain('key-of');
    }
    const ids = idsIn({ 'x-acme-request-id': `r-${key}`, 'x-acme-model': key }, brand);
    expect(ids).toEqual({ 'request-id': 'r-[key]', model: '[key]' });
    expect(idsIn({ 'request-id': `${'x'.repeat(190)}${key}` }, brand)['request-id']).not.toContain(
      'key-of',
    );
  });
});

describe('what to do about a refusal', () => {
  it('depends on the status', () => {
    expect(refuse(401).hint).toContain('svc login');
    expect(refuse(402).hint).toContain('svc balance');
    expect(refuse(403).hint).toContain('allow-list');
    expect(refuse(429).hint).toBe('wait a little, then run it again');
    expect(refuse(429, '', { headers: { 'retry-after': '37' } }).hint).toBe(
      'wait 37 s, then run it again',
    );
    expect(refuse(413, { message: 'x', max_body_bytes: 70953644 }).hint).toContain('70953644');
    for (const status of [400, 409, 410, 413, 415, 422, 501]) {
      expect(refuse(status, { message: 'no' }).hint, String(status)).toBeUndefined();
    }
  });

  it('names the models when one was not found, and nothing when something else was not', () => {
    expect(refuse(404, { error: { message: 'x', code: 'model_not_found' } }).hint).toContain(
      'svc models list',
    );
    expect(refuse(404, { error: 'Unknown model: y' }).hint).toContain('svc models list');
    expect(refuse(404, { message: 'no such ticket' }).hint).toBeUndefined();
  });

  it('says that a key is not enough where a session is needed', () => {
    expect(refuse(401, '', { row: { ...balance, auth: 'session' } }).hint).toContain('cabinet');
  });

  it('is to run it again only when that cannot pay twice', () => {
    expect(refuse(503).hint).toBe('nothing was charged: run it again in a moment');
    expect(refuse(502, own, { row: image }).hint).toBe('run it again in a moment');
    expect(refuse(502, '', { row: image }).hint).toContain('`svc image list`');
    expect(refuse(502, '', { row: createDecisions }).hint).not.toContain('run it again');
    expect(refuse(503, '', { headers: { 'retry-after': '20' } }).hint).toContain('in 20 s');
    expect(refuse(500, '', { row: chat }).hint).toContain('`svc usage list`');
    expect(refuse(500, '', { row: chat }).hint).not.toContain('run it again');
  });

  it('is to check the base URL when the answer points elsewhere', () => {
    const to = (location: string) => refuse(302, '', { headers: { location } });
    expect(to('https://login.evil.test/x?y').message).toBe(
      'the service answered 302: it points to login.evil.test, and svc does not follow',
    );
    expect(to('/v2').message).toContain('another path');
    expect(refuse(301).message).toContain('nowhere');
    expect(to('/v2').hint).toContain('svc config set base_url');
  });
});

it('reads a page that opens its title without end in no time', () => {
  const began = process.cpuUsage();
  refuse(502, '<!doctype html>' + '<title'.repeat(40_000));
  expect(process.cpuUsage(began).user / 1000).toBeLessThan(500);
});

describe('reading a refusal', () => {
  const read = async (step: Step) => {
    const response = await scripted(step).transport(getting(new URL('https://service.test/')));
    return refusalOf(response, { row: balance, ids: {}, brand, nowMs });
  };

  it('reads no more than can be of use', async () => {
    const megabyte = Buffer.alloc(1024 * 1024, 'x');
    const endless = Array.from({ length: 100 }, () => megabyte);
    expect((await read({ status: 500, body: endless })).message).toHaveLength(500);
  });
});
