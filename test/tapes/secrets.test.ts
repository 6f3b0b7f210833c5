/** What must never be on a tape: keys, cookies and the proof in signed links, however they are written. */
import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { forgetSecrets, rememberSecret } from '../../src/lib/redact.js';
import { maskSecrets } from '../../src/lib/secret-places.js';
import { asking, heard, jsonType, posting, sse, tapeRig } from './rig.js';
import { scripted } from '../helpers/scripted-transport.js';

afterEach(forgetSecrets);

const key = 'sk-svc-0123456789abcdef?+/é"x';

/** The secret in every form that is searched for, in base64 after 0, 1 and 2 other bytes. */
function formsOf(secret: string): string[] {
  const base64 = (['base64', 'base64url'] as const).flatMap((encoding) =>
    [0, 1, 2].map((before) => {
      const text = Buffer.from('a'.repeat(before) + secret).toString(encoding);
      const bits = 8 * (before + Buffer.byteLength(secret));
      return text.slice(Math.ceil((8 * before) / 6), Math.floor(bits / 6));
    }),
  );
  const each = Buffer.from(secret).toString('hex').replace(/../g, '%$&');
  const escaped = JSON.stringify(secret).slice(1, -1);
  const inUrl = base64.map(encodeURIComponent);
  const percent = encodeURIComponent(secret);
  return [
    secret,
    escaped,
    percent,
    percent.toLowerCase(),
    each,
    each.toUpperCase(),
    ...base64,
    ...inUrl,
  ];
}

/** The secret in all its forms, each with something before and after it. */
const carrier = (secret: string) =>
  [
    ...formsOf(secret),
    ...['', 'a', 'ab'].map((before) => Buffer.from(`${before}${secret}zz`).toString('base64')),
    `Authorization: Basic ${Buffer.from(`user:${secret}`).toString('base64')}`,
  ].join(' | ');

const found = (text: string, secret: string) =>
  formsOf(secret).filter((form) => text.includes(form));

it('a known secret is masked in each of its forms, with an x for each byte', () => {
  rememberSecret(key);
  for (const form of formsOf(key)) {
    const [before, after] = ['"url": "a=', '&b=c"'];
    const masked = maskSecrets(Buffer.from(before + form + after), true).toString();
    expect(masked).toBe(before + 'x'.repeat(Buffer.byteLength(form)) + after);
  }
});

it('no secret is on a tape: not in a path, a body, a header, a piece, across pieces or in a file', async () => {
  rememberSecret(key);
  const at = tapeRig();
  const text = carrier(key);
  const cut = Array.from(Buffer.from(`data: ${text}\n\n`), (byte) => Buffer.from([byte]));
  const noise = Buffer.alloc(200_000, 'n');
  const long = Array.from({ length: 20 }, (_, n) =>
    Buffer.concat([noise.subarray(n), Buffer.from(text)]),
  );
  const headers = {
    authorization: `Bearer ${key}`,
    'x-api-key': key,
    cookie: 'sid=cookie-0123456789',
  };
  const asked = (path: string) => ({
    ...posting({ [text]: [text] }, path),
    headers: { ...jsonType, ...headers },
  });
  await at.record(
    [
      asked(`/a?k=${encodeURIComponent(key)}&x=${encodeURIComponent(text)}`),
      { headers: sse, body: cut },
    ],
    [
      asked('/b'),
      {
        headers: { ...jsonType, 'x-echo': 'sid=cookie-0123456789', 'x-auth-token': 'abc' },
        body: JSON.stringify({ text }),
      },
    ],
    [asked('/c'), { headers: { 'content-type': 'audio/mpeg' }, body: long }],
    [asked('/d'), { headers: { 'content-type': 'text/plain' }, body: long }],
  );
  expect(at.troubles).toEqual([]);
  const names = readdirSync(`${at.path}.files`);
  expect(names).toHaveLength(2);
  for (const bytes of [at.text(), ...names.map((name) => at.file(name).toString('latin1'))]) {
    const utf8 = Buffer.from(bytes, 'latin1').toString();
    expect(found(bytes, key)).toEqual([]);
    expect(found(utf8, key)).toEqual([]);
    expect(bytes).not.toContain('cookie-0123456789');
    expect(bytes).not.toContain('x-auth-token');
  }
  const { play } = at.player();
  const played = await play(asked(`/a?k=${encodeURIComponent(key)}&x=${encodeURIComponent(text)}`));
  expect(played.pieces).toHaveLength(cut.length);
  const { pieces } = await play(asked('/c'));
  expect(pieces.join('')).toHaveLength(Buffer.concat(long).length);
});

it('signed links keep working on a scrubbed tape', async () => {
  const at = tapeRig();
  const link = 'https://cdn.example/results/1.png?exp=1&sig=AbC0123456789_-';
  const other =
    'https://files.example/2?X-Amz-Signature=0123abcd&X-Amz-Credential=me/1&access_token=tok';
  const nested = `https://view.example/?u=${encodeURIComponent(link)}`;
  const bytes = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  const image = { headers: { 'content-type': 'image/png' }, body: [bytes] };
  await at.record(
    [asking('/jobs/1'), { headers: jsonType, body: JSON.stringify({ link, other, nested }) }],
    ...[link, other, nested].map((one) => [{ ...asking('/'), url: new URL(one) }, image] as const),
  );
  expect(at.text()).not.toMatch(/AbC0123456789|0123abcd|me\/1|=tok/);
  const { play } = at.player();
  const links = Object.values(
    JSON.parse((await play(asking('/jobs/1'))).text) as Record<string, string>,
  );
  expect(links).toHaveLength(3);
  for (const one of links) {
    const { pieces } = await play({ ...asking('/'), url: new URL(one) });
    expect(Buffer.from(pieces.join(''), 'latin1')).toEqual(bytes);
  }
});

it('what only looks like a part of a secret keeps every byte', async () => {
  rememberSecret(key);
  const at = tapeRig();
  const text = 'a bearer token, ?keyword=abc&sort_by=key, signature=, sk-svc, page?key_word=1';
  await at.record([asking('/a'), { headers: jsonType, body: text }]);
  expect((await at.player().play(asking('/a'))).text).toBe(text);
});

it('a key of a request is masked though nobody else knew it', async () => {
  const at = tapeRig();
  const secret = 'plain-secret-of-a-program';
  const request = {
    ...posting({ a: secret }),
    headers: { ...jsonType, Authorization: `Bearer ${secret}` },
  };
  await heard(at.recorder().send(request, scripted({ body: secret }).transport));
  expect(at.text()).not.toContain(secret);
  expect(readFileSync(at.path, 'utf8')).toContain('x'.repeat(secret.length));
});
