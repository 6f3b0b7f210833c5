import { describe, expect, test } from 'vitest';
import { rememberSecret } from '../../src/lib/redact.js';
import { redactReport } from '../../src/lib/redact-report.js';
import { keys } from './redact-forms/keys.js';
import { named } from './redact-forms/named.js';
import { ordinary } from './redact-forms/ordinary.js';
import { people } from './redact-forms/people.js';

const homes = ['/srv/people/ivan', 'C:\\Users\\Ivan Petrov'];
const clean = (text: string) => redactReport(text, homes);

describe('a report leaves out', () => {
  test.each([
    // Keys, in any of the forms they travel in.
    ['sk-svc-0123456789abcdef', '[key]'],
    ['key=sk-other-AbC_d-9', 'key=[key]'],
    ['SK-SVC-0123456789', '[key]'],
    ['sk-proj-abcdefghijkl and sk-ant-api03-XY_z', '[key] and [key]'],
    ['https://h.test/?k=sk%2Dsvc%2D0123456789', 'https://h.test/?k=[key]'],
    ['Authorization: Bearer abcdefghijklmnopqrstuvwxyz', 'Authorization: [key]'],
    ['authorization: basic aXZhbjpzZWNyZXQ=', 'authorization: [key]'],
    ['-H "Proxy-Authorization: Basic aXZhbg=="', '-H "Proxy-Authorization: [key]"'],
    ['{"authorization":"Bearer abc123"}', '{"authorization":"[key]"}'],
    ['a Bearer 0123456789abcdef here', 'a Bearer [key] here'],
    ['x-api-key: abcdef', 'x-api-key: [secret]'],
    ['{"api_key": "abcdef"}', '{"api_key": "[secret]"}'],
    ['SVC_API_KEY=abcdef svc chat', 'SVC_API_KEY=[secret] svc chat'],
    ['AWS_SECRET_ACCESS_KEY=abcdef', 'AWS_SECRET_ACCESS_KEY=[secret]'],
    ['--api-key abcdef --password "hunter2"', '--api-key [secret] --password [secret]"'],
    ['password: hunter2; token=abc', 'password: [secret]; token=[secret]'],
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', '[key]'],
    ['ghp_0123456789abcdefghij', '[key]'],
    ['AKIAIOSFODNN7EXAMPLE', '[key]'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def', '[key]'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----!', '[key]!'],
    // Signatures of links.
    [
      'https://h.test/api/media/file/j/0?exp=1&sig=deadbeef&x=1',
      'https://h.test/api/media/file/j/0?exp=1&sig=[sig]&x=1',
    ],
    [
      'https://s3.test/a?X-Amz-Signature=ab12&b=c',
      'https://s3.test/a?X-Amz-Signature=[secret]&b=c',
    ],
    ['https://h.test/cb?access_token=abc#x', 'https://h.test/cb?access_token=[secret]#x'],
    // Proxies with passwords.
    ['http://ivan:p@ss:w0rd@proxy.test:3128/', 'http://[user]@proxy.test:3128/'],
    ['socks5h://ivan:secret@10.0.0.1:1080', 'socks5h://[user]@10.0.0.1:1080'],
    ['HTTPS_PROXY=ivan:secret@proxy.test:3128', 'HTTPS_PROXY=[user]@proxy.test:3128'],
    // Cookies.
    ['Cookie: svc_session=abc; theme=dark', 'Cookie: [cookie]'],
    ['set-cookie: a=b; Path=/\nnext', 'set-cookie: [cookie]\nnext'],
    ['svc_session=abcdef', 'svc_session=[secret]'],
    ['{"set-cookie":["sid=abc; Path=/","b=c"],"x":1}', '{"set-cookie":[cookie],"x":1}'],
    // As programs write down names and values.
    ['{"private_key":"abc d"}', '{"private_key":"[secret]"}'],
    ['{"password":"pa ss word"}', '{"password":"[secret]"}'],
    ['{"key":"abcdefg1"}', '{"key":"[secret]"}'],
    ['x-svc-key: abcdefg1', 'x-svc-key: [secret]'],
    ['"x-api-key": [ "abc", "def" ]', '"x-api-key": [secret]'],
    ['["x-api-key","abc"]', '["x-api-key","[secret]"]'],
    ["'authorization', 'abc'", "'authorization', '[key]'"],
    ["{'api-key': b'abc'}", "{'api-key': b'[secret]'}"],
    ['api_key => "abc"', 'api_key => "[secret]"'],
    ['AccountKey=abcdefg1==;EndpointSuffix=x', 'AccountKey=[secret];EndpointSuffix=x'],
    ['<password>abc</password>', '<password>[secret]</password>'],
    ["--password 'a b c' -v", "--password [secret]' -v"],
    ['curl -u ivan:secret https://h.test', 'curl -u [user] https://h.test'],
    ['the api key abcdefg1 is wrong', 'the api key [secret] is wrong'],
    ['the password is abcdefg1', 'the password is [secret]'],
    ['пароль: abc', 'пароль: [secret]'],
    ['Basic aXZhbjpzZWNyZXQ=', 'Basic [key]'],
    ['authorization: Digest username="u", response="abc"', 'authorization: [key]'],
    ['-----BEGIN PGP PRIVATE KEY BLOCK-----\nMIIE\n', '[key]'],
    // Keys of others, and what looks like one.
    ['npm_abcdefghij', '[key]'],
    ['hf_abcdefghij and AIzaabcdefghij and SG.abcdef.ghij', '[key] and [key] and [key]'],
    ['data:image/png;base64,QUJDRA/+QUJD==', 'data:image/png;base64,[data]'],
    ['x aB3dEfGhIjKlMnOpQrStUvWx y', 'x [key] y'],
    ['https://hooks.slack.com/services/T0/B0/abc', 'https://hooks.slack.com/[secret]'],
    ['https://h.test/bot123456:abc/send', 'https://h.test/bot[secret]'],
    // In links by any name, and escaped.
    ['https://h.test/f?code=abcdefg1&a=b', 'https://h.test/f?code=[secret]&a=b'],
    ['https://h.test/f?se%73sion=abcdefg1', 'https://h.test/f?session=[secret]'],
    ['https%3A%2F%2Fh.test%3Fsig%3Dabc%26a', 'https%3A%2F%2Fh.test%3Fsig%3D[secret]%26a'],
    // E-mail.
    ['ivan@[127.0.0.1] and ivan@localhost', '[e-mail] and [e-mail]'],
    ['ivan&#64;example.org, ivan\\u0040example.org', '[e-mail], [e-mail]'],
    ['mail ivan.petrov+test@sub.example.org!', 'mail [e-mail]!'],
    ['иван@пример.рф', '[e-mail]'],
    ['?to=ivan%40example.org', '?to=[e-mail]'],
    ['"ivan p"@example.org', '[e-mail]'],
    // Home folders, of this machine and of the usual systems.
    ['cannot read /srv/people/ivan/a.txt', 'cannot read ~/a.txt'],
    ['in "C:\\Users\\Ivan Petrov\\a"', 'in "~\\a"'],
    ['{"path":"C:\\\\Users\\\\Ivan Petrov\\\\a"}', '{"path":"~\\\\a"}'],
    ['/home/anna/x and /Users/anna/y', '~/x and ~/y'],
    ['file:///home/anna/x', 'file://~/x'],
    ['D:\\Users\\anna\\x', '~\\x'],
    ['/root/.config/svc', '~/.config/svc'],
    ['/home/me@corp.test/x', '~/x'],
    ['C:\\Users\\Anna Petrova\\x', '~\\x'],
    ['D:\\Documents and Settings\\anna\\x', '~\\x'],
    ['C:%5CUsers%5Canna%5Cx and %2Fhome%2Fanna%2Fx', '~%5Cx and ~%2Fx'],
    ['\\\\files\\home\\anna\\x', '\\\\files~\\x'],
    ['~anna/x', '~/x'],
  ])('%j', (text, expected) => {
    expect(clean(text)).toBe(expected);
  });

  test('the key in use, whatever it looks like', () => {
    rememberSecret('plain words as a key');
    expect(clean('echo: plain words as a key.')).toBe('echo: [key].');
  });
});

const invisible = /[\u0000-\u001f\u007f-\u009f\p{Default_Ignorable_Code_Point}]/gu;

/** The words of three letters and more that stand in the secrets of a form. */
function secretWords(form: string): string[] {
  const secrets = Array.from(form.matchAll(/⟦([^⟧]*)⟧/g), ([, secret = '']) => secret);
  return secrets
    .flatMap((secret) => secret.replace(invisible, '').split(/[^\p{L}\p{N}]+/u))
    .filter((word) => word.length > 2 && word !== 'svc');
}

describe.each(Object.entries({ ...keys, ...named, ...people }))('of %s', (_, list) => {
  test.each(list)('%j tells nothing', (form) => {
    const text = form.replace(/[⟦⟧]/g, '');
    const told = clean(text)
      .replace(invisible, '')
      .replace(/\[(?:key|sig|secret|cookie|user|data|e-mail)\]/g, '');
    const words = secretWords(form);
    expect(words).not.toEqual([]);
    expect(words.filter((word) => told.includes(word))).toEqual([]);
    expect(clean(clean(text))).toBe(clean(text));
  });
});

describe('a report keeps', () => {
  test.each(ordinary)('%j', (text) => {
    expect(clean(text)).toBe(text);
  });

  test('what stands around a secret', () => {
    expect(clean('svc: 0.1.0\nmessage: password=hunter is wrong\nnode: v20')).toBe(
      'svc: 0.1.0\nmessage: password=[secret] is wrong\nnode: v20',
    );
  });

  test('signs that look odd, where nothing hides in them', () => {
    const text = '👨‍👩‍👧 ❤️ می‌خواهم ｆｕｌｌ 10 − 5 a\u200bb';
    expect(clean(text)).toBe(text);
  });

  test('what is clean already', () => {
    const texts = ['Authorization: Bearer abc', 'password: x', 'a@b.test /home/x sk-a-b1234567'];
    for (const text of texts) expect(clean(clean(text))).toBe(clean(text));
  });

  test.each([
    'a',
    'a.',
    '/a',
    '@',
    'sk-',
    'key=',
    'a:',
    'http://',
    '%40',
    '"',
    'a-',
    'aA1',
    '"key',
    'token ',
    '?a=1',
    '=[',
    '/home',
    '~a',
    'password ',
    '--password=',
    'token: "',
    'a: [',
    '-p ',
    'zip ',
    'mkdir ',
    ' at a dot',
    '(at)',
    'name="token"\n',
    '%2525',
    '\u001b[',
    '\u200b',
    'PASSWORD_',
    '$6$',
    '/Users/',
    'session',
    'Private-Lines:',
    '-----BEGIN PRIVATE KEY-----',
    'api-key',
    'A_',
  ])('its pace on nothing but %j, again and again', (piece) => {
    const begun = performance.now();
    clean(piece.repeat(8000 / piece.length));
    expect(performance.now() - begun).toBeLessThan(3000);
  });
});
