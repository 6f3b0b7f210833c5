import { describe, expect, test } from 'vitest';
import { rememberSecret } from '../../src/lib/redact.js';
import { redactReport } from '../../src/lib/redact-report.js';

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
    // E-mail.
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
  ])('%j', (text, expected) => {
    expect(clean(text)).toBe(expected);
  });

  test('the key in use, whatever it looks like', () => {
    rememberSecret('plain words as a key');
    expect(clean('echo: plain words as a key.')).toBe('echo: [key].');
  });
});

describe('a report keeps', () => {
  test.each([
    'svc chat -m vendor/model:economy --max-tokens 300 …',
    'max_tokens=300, completion_tokens: 12',
    'request ids: req_i79vt4dit1mhh4892n9lu8ss, gen_1',
    'status: 429',
    'code: invalid_token',
    'the sky-high skill of task-force',
    'http://127.0.0.1:8787/v1/chat at 10:30:00',
    'time: 2026-11-21T19:05:44.816Z',
    'node: v20.20.2',
    '/srv/people/ivanna/x, /usr/home, /rooted, my/root',
    'npm i @scope/package@1.2.3',
    'see what is left: `svc balance`',
  ])('%s', (text) => {
    expect(clean(text)).toBe(text);
  });

  test('what is clean already', () => {
    const texts = ['Authorization: Bearer abc', 'password: x', 'a@b.test /home/x sk-a-b1234567'];
    for (const text of texts) expect(clean(clean(text))).toBe(clean(text));
  });

  test('its pace on a long text of nothing but beginnings', () => {
    const begun = performance.now();
    for (const piece of ['a', 'a.', '/a', '@', 'sk-', 'key=', 'a:', 'http://', '%40', '"', 'a-']) {
      clean(piece.repeat(8000 / piece.length));
    }
    expect(performance.now() - begun).toBeLessThan(2000);
  });
});
