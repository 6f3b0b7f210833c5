import { expect, test } from 'vitest';
import { rememberSecret } from '../../src/lib/redact.js';
import { redactReport } from '../../src/lib/redact-report.js';

const homes = ['/srv/people/ivan', 'C:\\Users\\Ivan Petrov'];
const clean = (text: string) => redactReport(text, homes);

test.each([
  // Keys by how they begin, and those at random.
  ['sk-svc-0123456789abcdef, sk-ant-api03-XY_z', '[key], [key]'],
  [
    'SK-SVC-0123456789 and https://h.test/?k=sk%2Dsvc%2D0123456789',
    '[key] and https://h.test/?k=[key]',
  ],
  ['AKIAIOSFODNN7EXAMPLE ghp_0123456789abcdefghij', '[key] [key]'],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-def', '[key]'],
  ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----!', '[key]!'],
  ['x aB3dEfGhIjKlMnOpQrStUvWx y', 'x [key] y'],
  // Headers.
  ['Authorization: Bearer abcdefghijklmnopqrstuvwxyz', 'Authorization: [key]'],
  ['-H "Proxy-Authorization: Basic aXZhbg=="', '-H "Proxy-Authorization: [key]"'],
  ['authorization: Digest username="u", response="abc"', 'authorization: [key]'],
  ['{"authorization":"Bearer abc123"}', '{"authorization":"[key]"}'],
  ['a Bearer 0123456789abcdef here', 'a Bearer [key] here'],
  ['Basic aXZhbjpzZWNyZXQ=', 'Basic [key]'],
  ['Cookie: svc_session=abc; theme=dark', 'Cookie: [cookie]'],
  ['{"set-cookie":["sid=abc; Path=/","b=c"],"x":1}', '{"set-cookie":[cookie],"x":1}'],
  ['x-api-key: abcdef', 'x-api-key: [secret]'],
  // Links.
  ['https://h.test/f/0?exp=1&sig=deadbeef&x=1', 'https://h.test/f/0?exp=1&sig=[sig]&x=1'],
  ['https://s3.test/a?X-Amz-Signature=ab12&b=c', 'https://s3.test/a?X-Amz-Signature=[secret]&b=c'],
  ['https://h.test/cb?access_token=abc#x', 'https://h.test/cb?access_token=[secret]#x'],
  ['https://h.test/f?any=abcdefg1&a=b', 'https://h.test/f?any=[secret]&a=b'],
  ['https%3A%2F%2Fh.test%3Fsig%3Dabc%26a', 'https%3A%2F%2Fh.test%3Fsig%3D[secret]%26a'],
  ['http://ivan:p@ss:w0rd@proxy.test:3128/', 'http://[user]@proxy.test:3128/'],
  ['HTTPS_PROXY=ivan:secret@proxy.test:3128', 'HTTPS_PROXY=[user]@proxy.test:3128'],
  // Command lines.
  ['--api-key abcdef --password "hunter2"', '--api-key [secret] --password [secret]"'],
  ["--password 'a b c' -v", "--password [secret]' -v"],
  ['tool -p hunter -p 8080', 'tool -p [secret] -p 8080'],
  ['curl -u ivan:secret https://h.test', 'curl -u [user] https://h.test'],
  ['SVC_API_KEY=abcdef svc chat', 'SVC_API_KEY=[secret] svc chat'],
  ['["--token","abc"]', '["--token","[secret]"]'],
  // What a name is given.
  ['{"api_key": "abcdef"}', '{"api_key": "[secret]"}'],
  ['{"password":"pa ss word"}', '{"password":"[secret]"}'],
  ['{\\"password\\":\\"hunter\\"}', '{\\"password\\":\\"[secret]\\"}'],
  ['{"key":"abcdefg1"}', '{"key":"[secret]"}'],
  ["{'api-key': b'abc'}", "{'api-key': b'[secret]'}"],
  ['api_key => "abc"', 'api_key => "[secret]"'],
  ['AccountKey=abcdefg1==;EndpointSuffix=x', 'AccountKey=[secret];EndpointSuffix=x'],
  ['password: hunter2; token=abc', 'password: [secret]; token=[secret]'],
  [
    'message: password=hunter is wrong\nnode: v20',
    'message: password=[secret] is wrong\nnode: v20',
  ],
  ['пароль: abc', 'пароль: [secret]'],
  // As people put it.
  ['the api key abcdefg1 is wrong', 'the api key [secret] is wrong'],
  ['my password is hunter2', 'my password is [secret]'],
  ['the password «hunter» is not taken', 'the password «[secret]» is not taken'],
  // Who somebody is.
  ['mail ivan.petrov+test@sub.example.org!', 'mail [e-mail]!'],
  ['иван@пример.рф, ivan@[127.0.0.1], ?to=ivan%40example.org', '[e-mail], [e-mail], ?to=[e-mail]'],
  ['cannot read /srv/people/ivan/a.txt', 'cannot read ~/a.txt'],
  ['{"path":"C:\\\\Users\\\\Ivan Petrov\\\\a"}', '{"path":"~\\\\a"}'],
  ['/home/anna/x and /Users/anna/y and ~anna/z', '~/x and ~/y and ~/z'],
  ['D:\\Users\\Anna Petrova\\x', '~\\x'],
  ['/root/.config/svc', '~/.config/svc'],
  // What is not to be seen hides nothing.
  ['pass\u200bword: hunter', 'password: [secret]'],
  ['\u001b[31m--token\u001b[0m abcdef', '--token [secret]'],
])('a report leaves out what is secret: %j', (text, expected) => {
  expect(clean(text)).toBe(expected);
  expect(clean(expected)).toBe(expected);
});

test('the key in use goes, whatever it looks like', () => {
  rememberSecret('plain words as a key');
  expect(clean('echo: plain words as a key.')).toBe('echo: [key].');
});

test.each([
  'svc chat -m vendor/model:economy --max-tokens 300 …',
  'request ids: req_011CSHoEeqs5C35K2UUqR7Fy, 0b1f6a5e-5d0b-4f5e-9f7e-2c7a1b1d9e11',
  'time: 2026-11-21T19:05:44.816Z\nnode: v20.20.2\nsystem: linux x64',
  'http://127.0.0.1:8787/v1/chat at 10:30:00, https://h.test/v1/models?type=chat&limit=20',
  'token limit: 4096 tokens; max_tokens=300; password policy: strict',
  'the password is missing or too short; api_key is not set; token: invalid',
  'SVC_API_KEY is not set: run `svc login`',
  'missing bearer token in the Authorization header; the cookie is missing',
  '{"error":{"code":"invalid_api_key","message":"wrong key"}}',
  '--token, --key and --user cannot go together; option --password is required',
  'ssh -p 2222 host; docker run -p 8080:80 image',
  'npm i @scope/package@1.2.3; user@ and @user',
  '/srv/people/ivanna/x, /usr/home, /rooted, see ~/x',
  '584c56e0b1f6a5e5d0b4f5e9f7e2c7a1b1d9e11a and SomeVeryLongCamelCaseIdentifierName',
  'ключ не подходит, пароль не принят',
  '👨‍👩‍👧 ❤️ می‌خواهم a\u200bb',
])('a report keeps %j', (text) => {
  expect(clean(text)).toBe(text);
});

test.each(['a', '/a', 'sk-', 'a:', '?a=1', 'token: "', '--password=', 'aA1', '/home', '~a', '@'])(
  'it keeps its pace on nothing but %j, again and again',
  (piece) => {
    const begun = performance.now();
    clean(piece.repeat(8000 / piece.length));
    expect(performance.now() - begun).toBeLessThan(3000);
  },
);
