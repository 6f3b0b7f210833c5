import { describe, expect, it } from 'vitest';
import { idsIn } from '../../src/api/prepare.js';
import { describeRefusal, refusalOf, type Refused } from '../../src/api/refusal.js';
import { brandFrom } from '../../src/contract/brand.js';
import type { ApiError } from '../../src/errors.js';
import { createDecisions } from '../../src/contract/decisions.js';
import { rememberSecret } from '../../src/lib/redact.js';
import { scripted } from '../helpers/scripted-transport.js';
import { getting } from '../http/rig.js';

const balance: Refused['row'] = {
  ...{ id: 'billing.balance', auth: 'bearer', retry: 'safe' },
  statuses: [200, 401],
};
const chat: Refused['row'] = {
  ...{ id: 'chat.create', auth: 'bearer', retry: 'never' },
  statuses: [200, 401, 402, 429],
};
const image: Refused['row'] = {
  ...{ id: 'images.create', auth: 'bearer', retry: 'never' },
  statuses: [200, 502, 504],
  statusNotes: {
    502: 'generation failed, nothing charged',
    504: 'still running; x-{brand}-media-job-id names the job',
  },
};

/** A refusal in a form of the service itself. */
const own = { ok: false, code: 'failed', message: 'It failed' };

const brand = brandFrom('acme');
const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5);

/** What a refusal says; by default of a call that charges nothing. */
function refuse(
  status: number,
  body: unknown = '',
  {
    row = balance,
    headers = {},
    ids = {},
  }: Partial<Refused> & { headers?: Record<string, string> } = {},
): ApiError {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const bytes = { bytes: Buffer.from(text), isCutShort: false };
  return describeRefusal({ status, headers }, bytes, { row, ids, brand, nowMs });
}

describe('the message of a refusal', () => {
  const invalid = { message: 'No such model', type: 'invalid_request_error', code: null };
  it.each<[kind: string, body: unknown, message: string, code: string | undefined]>([
    ['chat', { error: { ...invalid, code: 'no_model' } }, 'No such model', 'no_model'],
    ['chat, with no code', { error: invalid }, 'No such model', 'invalid_request_error'],
    ['messages', { error: { type: 'overloaded', message: 'Later' } }, 'Later', 'overloaded'],
    ['media', { ok: false, code: 'unknown', message: 'No', field: 'a' }, 'No', 'unknown'],
    ['tickets', { error: 'It is closed', code: 'closed' }, 'It is closed', 'closed'],
    ['a detail', { detail: 'Not here' }, 'Not here', 'refused'],
    ['plain text', 'upstream connect error', 'upstream connect error', 'not_the_service'],
  ])("are the service's own in the form of %s", (_, body, message, code) => {
    expect(refuse(400, body)).toMatchObject({ name: 'ApiError', status: 400, message, code });
  });

  const titled = '<html><head><title>502 Bad\nGateway</title></head>';
  const failed = 'provider refused or failed';
  it.each([
    [401, '', ': key missing or invalid'],
    [502, titled, ` with an HTML page (502 Bad Gateway): ${failed}`],
    [502, '<!DOCTYPE html><p>oops', ` with an HTML page: ${failed}`],
    [500, '{"error":{"mess', ' with truncated JSON: the service failed'],
  ])('are ours, with the meaning of the status, for %i with %j', (status, body, words) => {
    expect(refuse(status, body).message).toBe(`the service answered ${status}${words}`);
  });

  it('take the meaning that the endpoint gives the status', () => {
    const row: Refused['row'] = { ...image, retry: 'safe' };
    for (const [status, words] of [
      [502, 'generation failed, nothing charged'],
      [504, 'still running; x-acme-media-job-id names the job'],
    ] as const) {
      expect(refuse(status, '', { row }).message).toBe(`the service answered ${status}: ${words}`);
    }
  });

  it('contain no terminal control sequence, and no key', () => {
    const message = 'no\u001b]0;owned\u0007 \u202esk-svc-abcdef0123456789 \r\nx';
    expect(refuse(400, { message }).message).toBe('no ]0;owned [key] x');
    expect(refuse(400, { message: 'a', code: 'b\u001b[31m' }).code).toBe('b [31m');
  });
});

describe('what a refusal carries', () => {
  it('is the parsed body, for its further fields', () => {
    const body = { message: 'No', violations: [{ path: 'opts.a' }] };
    expect(refuse(422, body).fields).toEqual(body);
    expect(refuse(422, 'text').fields).toEqual({});
  });

  it('is the ids that support can look up', () => {
    const ids = { requestId: 'r', generationId: 'g', route: 'x', model: 'y' };
    const requestIds = { requestId: 'r', generationId: 'g' };
    expect(refuse(500, '', { ids }).requestIds).toEqual(requestIds);
  });

  it('is no credential, wherever the service echoes it', () => {
    const key = 'key-of-no-known-form';
    rememberSecret(key);
    const echo = { code: key, message: 'no', field: key, fields: [key], [key]: { a: [key] } };
    const refused = refuse(400, { ok: false, ...echo });
    expect(JSON.stringify([refused.code, refused.message, refused.fields])).not.toContain(key);
    expect(refused.fields).toMatchObject({ field: '[key]', fields: ['[key]'] });
    const cut = `${'x '.repeat(245)}${key}`;
    for (const body of [{ message: cut }, cut, `<html><title>${cut.slice(-105)}</title>`]) {
      expect(refuse(400, body).message).not.toContain('key-of');
    }
    const ids = idsIn({ headers: { 'x-acme-request-id': `r-${key}`, 'x-acme-model': key } }, brand);
    expect(ids).toEqual({ requestId: 'r-[key]', model: '[key]' });
    expect(
      idsIn({ headers: { 'request-id': `${'x'.repeat(190)}${key}` } }, brand).requestId,
    ).not.toContain('key-of');
  });
});

describe('what to do about a refusal', () => {
  it('depends on the status', () => {
    expect(refuse(401).hint).toContain('svc login');
    expect(refuse(402).hint).toContain('svc balance');
    expect(refuse(402, { error: { message: 'No', code: 'max_cost' } }).hint).toBeUndefined();
    expect(refuse(403).hint).toContain('allow-list');
    expect(refuse(404, '<html>').hint).toContain('a gateway or another site may have answered');
    expect(refuse(429).hint).toBe('wait a little, then run it again');
    expect(refuse(429, '', { headers: { 'retry-after': '37' } }).hint).toBe(
      'wait 37 s, then run it again',
    );
    expect(refuse(413, { message: 'x', max_body_bytes: 70953644 }).hint).toContain('70953644');
    for (const status of [400, 409, 410, 413, 415, 422, 501]) {
      expect(refuse(status, own).hint, String(status)).toBeUndefined();
    }
  });

  it('names the models when one was not found, and nothing when something else was not', () => {
    expect(refuse(404, { error: { message: 'x', code: 'model_not_found' } }).hint).toContain(
      'svc models list',
    );
    expect(refuse(404, { error: 'Unknown model: y' }).hint).toContain('svc models list');
    expect(refuse(404, { error: 'no such ticket' }).hint).toBeUndefined();
  });

  it('says that a key is not enough where a session is needed', () => {
    expect(refuse(401, '', { row: { ...balance, auth: 'session' } }).hint).toContain('cabinet');
  });

  it('is to run it again only when that cannot charge twice', () => {
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
      'the service answered 302: it redirects to login.evil.test, and svc does not follow',
    );
    expect(to('/v2').message).toContain('another path');
    expect(refuse(301).message).toContain('nowhere');
    expect(to('/v2').hint).toContain('svc config set base_url');
  });
});

it('quickly reads a page whose title never ends', () => {
  const began = process.cpuUsage();
  refuse(502, '<!doctype html>' + '<title'.repeat(40_000));
  expect(process.cpuUsage(began).user / 1000).toBeLessThan(500);
});

it('reads no more of a refusal than is useful', async () => {
  const megabyte = Buffer.alloc(1024 * 1024, 'x');
  const endless = { status: 500, body: Array.from({ length: 100 }, () => megabyte) };
  const response = await scripted(endless).transport(getting(new URL('https://service.test/')));
  const refused = await refusalOf(response, { row: balance, ids: {}, brand, nowMs });
  expect(refused.message).toHaveLength(500);
});

describe('whether a failed call may have been charged', () => {
  it('is not in question for a call that charges nothing', () => {
    for (const status of [500, 502, 503, 504]) expect(refuse(status).outcomeUnknown).toBe(false);
  });

  const refusals = [400, 401, 402, 404, 408, 409, 422, 429, 501, 502, 503, 529];
  it('is so unless the service itself refuses it, with a status that is listed for it or not', () => {
    expect(refuse(500, '', { row: chat }).outcomeUnknown).toBe(true);
    for (const status of refusals) {
      expect(refuse(status, own, { row: image }).outcomeUnknown, String(status)).toBe(false);
      expect(refuse(status, own, { row: chat }).outcomeUnknown, String(status)).toBe(false);
    }
  });

  it('is so when the service itself only failed, unless that is listed for it', () => {
    expect(refuse(500, own, { row: image }).outcomeUnknown).toBe(true);
    const row: Refused['row'] = { ...image, statuses: [200, 500] };
    expect(refuse(500, own, { row }).outcomeUnknown).toBe(false);
  });

  it.each<[string, unknown]>([
    ['media', own],
    ['tickets', { error: 'It failed', code: 'failed' }],
    ['the chat format', { error: { message: 'It failed', type: 'server_error', code: null } }],
    ['the messages format', { type: 'error', error: { type: 'api_error', message: 'It failed' } }],
  ])('is decided by the service alone, in the form of %s', (_, body) => {
    expect(refuse(502, body, { row: image }).outcomeUnknown).toBe(false);
  });

  const whatever = [204, 301, 302, 400, 401, 403, 404, 405, 409, 413, 422, 429];
  it('is known from 401 and 403 with nothing: the key is checked before anything is done', () => {
    for (const status of [401, 403]) {
      expect(refuse(status, '', { row: image }).outcomeUnknown).toBe(false);
    }
  });

  it.each<[string, unknown]>([
    ['nothing', ''],
    ['an HTML page', '<html><title>502 Bad Gateway</title></html>'],
    ['truncated JSON', '{"ok":false,"code":"failed","message":"It fa'],
    ['a message alone', { message: 'Internal server error' }],
    ['an error alone', { status: 502, error: 'Bad Gateway', path: '/v1/x' }],
    ['a numeric code', { code: 14, message: 'upstream connect error', details: [] }],
    [
      'the error of another service',
      { error: { code: 502, message: 'No', status: 'UNAVAILABLE' } },
    ],
  ])('is not known from %s', (_, body) => {
    for (const status of [...whatever, 408, 500, 501, 502, 503, 504, 520]) {
      if (body === '' && [401, 403].includes(status)) continue;
      expect(refuse(status, body, { row: image }).outcomeUnknown, String(status)).toBe(true);
      expect(refuse(status, body).outcomeUnknown, String(status)).toBe(false);
    }
  });

  it.each<[string, unknown]>([
    ['an error of words', { error: 'Unauthorized' }],
    ['a message in an error', { error: { message: 'No such model' } }],
    ['the details of a field', { detail: [{ loc: ['body', 'model'], msg: 'unknown' }] }],
    ['a code of words', { code: 'no_model', message: 'No such model' }],
    ['a message of a "no"', { ok: false, message: 'No such model' }],
  ])('is not in question after %s, a form that is not shown and no gateway has', (_, body) => {
    for (const status of [400, 401, 402, 403, 404, 409, 413, 422, 429]) {
      expect(refuse(status, body, { row: chat }).outcomeUnknown, String(status)).toBe(false);
    }
    expect(refuse(302, body, { row: chat }).outcomeUnknown).toBe(true);
  });

  it('is not in question where only the service can know what is said', () => {
    expect(refuse(402, { message: 'No' }, { row: chat }).outcomeUnknown).toBe(false);
    expect(refuse(402, '<html>', { row: chat }).outcomeUnknown).toBe(true);
    expect(refuse(410, '<html>').isForeign).toBe(true);
    const file: Refused['row'] = { ...balance, id: 'media.file', statuses: [200, 404, 410] };
    expect(refuse(410, '', { row: file }).isForeign).toBe(false);
    for (const page of ['', 'Gone']) {
      expect(refuse(410, page, { row: chat }).outcomeUnknown).toBe(true);
    }
    expect(refuse(200, { ok: false, message: 'No' }, { row: chat }).outcomeUnknown).toBe(false);
  });

  it('is so when the service itself ran out of time, listed or not', () => {
    expect(refuse(504, '', { row: image })).toMatchObject({
      outcomeUnknown: true,
      hint: expect.stringContaining('`svc image list`'),
    });
  });
});

it.each([
  ['', 'the service answered 502'],
  [
    '<html><title>502 Bad Gateway</title>',
    'the service answered 502 with an HTML page (502 Bad Gateway)',
  ],
  ['{"error":{"mess', 'the service answered 502 with truncated JSON'],
  ['upstream connect error', 'upstream connect error'],
  [{ message: 'Internal server error' }, 'Internal server error'],
])(
  'the message about a call that may be charged claims nothing where %j is the whole answer',
  (body, words) => {
    expect(refuse(502, body, { row: image }).message).toBe(
      `${words}; it may have been carried out and charged`,
    );
    const row: Refused['row'] = { ...image, id: 'tickets.reply' };
    expect(refuse(502, body, { row }).message).toBe(`${words}; it may have been carried out`);
  },
);
