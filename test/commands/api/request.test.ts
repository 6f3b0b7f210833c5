import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fakeKey, fakeService, json } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { run } from '../../helpers/run.js';

describe('what svc api refuses before anything is sent', () => {
  it('is one clear sentence and exit 2', async () => {
    const service = await fakeService(json({}));
    const folder = testFolder();
    writeFileSync(join(folder, 'binary'), Buffer.from([0xff, 0]));
    for (const [words, message] of [
      [['FETCH', '/x'], '"FETCH" is no method'],
      [['POST', '/x', '-f', 'novalue'], 'a field is KEY=VALUE'],
      [['POST', '/x', '-F', 'a=1', '-F', 'a=2'], 'the field a contradicts another'],
      [['POST', '/x', '-F', 'a[]=1', '-F', 'a[b]=2'], 'the field a[b] contradicts another'],
      [['POST', '/x', '-F', 'id=12345678901234567890'], 'cannot hold exactly'],
      [['POST', '/x', '-F', `a=@${folder}/binary`], 'is no UTF-8 text'],
      [['POST', '/x', '--input', `${folder}/none`], '--input: there is no file'],
      [['GET', '/x', '--input', '-'], 'GET sends no body'],
      [['POST', '/x', '--input', '-', '-F', 'a=@-'], 'stdin can be read once'],
      [['GET', '/x', '-H', 'no colon'], "a header is 'NAME: VALUE'"],
      [['GET', '/x', '-H', 'a b: x'], 'is no header name'],
      [['GET', '/x', '-H', 'Host: evil.example'], 'the header host is set by svc itself'],
      [['POST', '/x', '-H', 'Content-Length: 1'], 'the header content-length is set by svc itself'],
      [['POST', '/x', '--paginate'], '--paginate is for GET alone'],
      [['GET', '/x', '--slurp'], '--slurp needs --paginate'],
      [['GET', '/x', '--slurp', '--paginate', '-i'], '--slurp and --include cannot go together'],
    ] as const) {
      const result = await run(['api', ...words], { env: service.env, stdin: 'x' });
      expect(result, words.join(' ')).toMatchObject({ code: 2, stdout: '' });
      expect(result.stderr).toContain(message);
      expect(result.stderr, words.join(' ')).toMatch(/^error: [^\n]+\n(hint: [^\n]+\n)?$/);
    }
    expect(service.requests).toEqual([]);
  });

  // Nothing is closed to root.
  const isRoot = process.getuid?.() === 0;
  it.skipIf(isRoot)('but a file that may not be read is trouble of the machine', async () => {
    const folder = join(testFolder(), 'closed');
    mkdirSync(folder);
    chmodSync(folder, 0);
    const result = await run(['api', 'POST', '/x', '--input', join(folder, 'x')], {
      env: { SVC_BASE_URL: 'http://localhost:1', SVC_API_KEY: fakeKey },
    });
    expect(result).toMatchObject({ code: 11 });
  });

  it('refuses to pour paid bytes into a terminal', async () => {
    const service = await fakeService((_request, response) => response.end('RIFF'));
    const line = 'api POST /v1/audio/speech -f model=m -f input=hi';
    const result = await run(line, { env: service.env, tty: true });
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain('> FILE');
    expect(service.requests).toEqual([]);
    expect(await run(line, { env: service.env })).toMatchObject({ code: 0, stdout: 'RIFF' });
  });
});

describe('svc api with nothing sent', () => {
  it('shows the request as JSON or as a curl command, without the key', async () => {
    const service = await fakeService(json({}));
    const line = ['api', 'POST', '/v1/x', '-F', "it's[]=1", '-H', 'x-a: b'];
    const dry = await run([...line, '--dry-run'], { env: service.env });
    expect(JSON.parse(dry.stdout)).toEqual({
      method: 'POST',
      url: `${service.origin}/v1/x`,
      headers: {
        accept: '*/*',
        'user-agent': 'svc-cli/0.0.0-test',
        'content-type': 'application/json',
        'x-a': 'b',
        authorization: 'Bearer [key]',
      },
      body: { "it's": [1] },
    });
    expect(service.requests).toEqual([]);
  });
});
