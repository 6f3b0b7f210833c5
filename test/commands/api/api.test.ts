import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fakeKey, fakeService, json } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { gate } from '../../helpers/gate.js';
import { fails, run } from '../../helpers/run.js';

describe('svc api', () => {
  it('gives a pipe the body byte for byte, and says nothing', async () => {
    const body = Buffer.from(
      '{ "b" : 1,\r\n"a":12345678901234567890, "é": "\\u0000" }\xff',
      'latin1',
    );
    const service = await fakeService((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    });
    const result = await run('api GET /v1/anything?x=1', { env: service.env });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdoutBytes).toEqual(body);
    expect(service.requests).toMatchObject([{ method: 'GET', url: '/v1/anything?x=1', body: '' }]);
    expect(service.requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${fakeKey}`,
      accept: '*/*',
    });
    expect(service.requests[0]?.headers).not.toHaveProperty('content-type');
  });

  it('without a method sends GET, whatever fields there are', async () => {
    const service = await fakeService(json({}));
    const { env } = service;
    expect(await run('api /v1/balance', { env })).toMatchObject({ code: 0, stdout: '{}' });
    expect(await run('api /v1/images/generations -f model=x', { env })).toMatchObject({ code: 0 });
    const body = await run('api /v1/images/generations --input -', { env, stdin: '{}' });
    expect(body).toMatchObject(fails(2, 'hint: svc api POST PATH --input FILE'));
    expect(await run('api delete', { env })).toMatchObject(fails(2, 'missing argument <path>'));
    expect(await run('api', { env })).toMatchObject(fails(2, 'svc api: missing argument <path>'));
    expect(service.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /v1/balance',
      'GET /v1/images/generations?model=x',
    ]);
  });

  it('lays JSON out on a terminal, every live control escaped', async () => {
    const service = await fakeService(json({ a: [1, { b: 'x\u001b]0;y\u0007\u202e' }] }));
    const result = await run('api GET /v1/models', {
      env: { ...service.env, NO_COLOR: '1' },
      tty: true,
    });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.stdout).toBe(
      '{\n  "a": [\n    1,\n    {\n      "b": "x\\u001b]0;y\\u0007\\u202e"\n    }\n  ]\n}\n',
    );
  });

  it('sends nothing to a URL of another origin', async () => {
    const service = await fakeService(json({}));
    const env = { ...service.env, SVC_BASE_URL: `${service.origin}/base` };
    for (const url of [
      'https://evil.example/v1/x',
      `${service.origin}/other/v1/x`,
      `${service.origin}/basement`,
      service.origin.replace('http:', 'https:') + '/base/v1/x',
      'http://[',
      'HTTP://evil.example',
    ]) {
      const result = await run(['api', 'GET', url], { env });
      expect(result, url).toMatchObject({ code: 2, stdout: '' });
      expect(result.stderr).toBe(
        `error: the URL is not below the base URL ${service.origin}/base\n` +
          'hint: the key would be sent elsewhere: give only the path, or another --base-url\n',
      );
    }
    expect(service.requests).toEqual([]);
  });

  it('keeps to the host whatever the path looks like', async () => {
    const service = await fakeService(json({}));
    for (const path of ['//evil.example/x', '@evil.example/', '.evil.example', '?a=1']) {
      expect(await run(['api', 'GET', path], { env: service.env })).toMatchObject({ code: 0 });
    }
    expect(service.requests.map(({ url }) => url)).toEqual([
      '//evil.example/x',
      '/@evil.example/',
      '/.evil.example',
      '/?a=1',
    ]);
  });

  it('puts the fields of a GET into the query, beside what the path has', async () => {
    const service = await fakeService(json({}));
    const fields = '-F limit=2 -F on=true -F no=null -f "a[b][]=ü &" -f z=';
    await run(`api GET /v1/x?y=1 ${fields}`, { env: service.env });
    const [request] = service.requests;
    expect(request?.url).toBe('/v1/x?y=1&a%5Bb%5D%5B%5D=%C3%BC+%26&z=&limit=2&on=true&no=');
    expect(request?.body).toBe('');
  });

  it('builds a JSON body from the fields of other methods', async () => {
    const service = await fakeService(json({}));
    const fields = ['-F', 'n=1.5', '-F', 't=true', '-F', 'o=null', '-f', 'raw=true', '-F', 's=1a'];
    for (const method of ['POST', 'put', 'PATCH', 'DELETE']) {
      await run(['api', method, '/v1/x', ...fields], { env: service.env });
    }
    const methods = service.requests.map(({ method }) => method);
    expect(methods).toEqual(['POST', 'PUT', 'PATCH', 'DELETE']);
    for (const { body, headers, url } of service.requests) {
      expect(body).toBe('{"raw":"true","n":1.5,"t":true,"o":null,"s":"1a"}');
      expect(headers['content-type']).toBe('application/json');
      expect(url).toBe('/v1/x');
    }
  });

  it('takes the value of a typed field from a file or stdin, as text', async () => {
    const file = join(testFolder(), 'value.txt');
    writeFileSync(file, 'true\n');
    const service = await fakeService(json({}));
    const fields = ['-F', `file=@${file}`, '-F', 'piped=@-', '-f', 'raw=@-'];
    await run(['api', 'POST', '/v1/x', ...fields], { env: service.env, stdin: '17' });
    expect(service.requests[0]?.body).toBe('{"raw":"@-","file":"true\\n","piped":"17"}');
  });

  it('sends a body as it stands, from a file or stdin, and the fields in the query', async () => {
    const file = join(testFolder(), 'body.bin');
    const body = Buffer.from('\xef\xbb\xbf{"a": 1}\n\x00\xff', 'latin1');
    writeFileSync(file, body);
    const service = await fakeService((request, response) => {
      response.end(JSON.stringify([request.body, request.headers['content-type'], request.url]));
    });
    const line = ['api', 'POST', '/v1/x', '-F', 'a=1', '--input'];
    const type = ['-H', 'Content-Type: application/octet-stream'];
    const fromFile = await run([...line, file, ...type], { env: service.env });
    const fromStdin = await run([...line, '-'], { env: service.env, stdin: body });
    const sent = body.toString('utf8');
    expect(JSON.parse(fromFile.stdout)).toEqual([sent, 'application/octet-stream', '/v1/x?a=1']);
    expect(JSON.parse(fromStdin.stdout)).toEqual([sent, 'application/json', '/v1/x?a=1']);
  });

  it('adds headers, joins repeated ones, and lets one replace its own', async () => {
    const service = await fakeService(json({}));
    const headers = '-H "X-One: 1" -H "x-one:2 3" -H "Accept: text/csv" -H x-empty:';
    await run(`api GET /x ${headers}`, { env: service.env });
    expect(service.requests[0]?.headers).toMatchObject({
      'x-one': '1, 2 3',
      accept: 'text/csv',
      'x-empty': '',
    });
  });

  it('prints the status and the headers first under -i', async () => {
    const service = await fakeService(json({ a: 1 }, 201, { 'x-b': 'c', date: 'today' }));
    const result = await run('api POST /x -i', { env: service.env });
    const [head, body] = result.stdout.split('\r\n\r\n');
    expect(body).toBe('{"a":1}');
    const [status, ...headers] = head?.split('\r\n') ?? [];
    expect(status).toBe('HTTP/1.1 201');
    expect(headers).toEqual(expect.arrayContaining(['x-b: c', 'content-type: application/json']));
    const env = { ...service.env, NO_COLOR: '1' };
    const shown = await run('api POST /x -i', { env, tty: true });
    expect(shown.stdout).toMatch(/^HTTP\/1\.1 201\n[^\r]*\n\n\{\n {2}"a": 1\n\}\n$/);
  });

  it('streams pass through as they arrive', async () => {
    const { opened: arrived, open: release } = gate();
    const service = await fakeService((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: 1\n\n');
      void arrived.then(() => response.end('data: 2\n\n'));
    });
    const result = await run('api POST /v1/responses', {
      env: service.env,
      onStdout: (text) => {
        if (text === 'data: 1\n\n') release();
      },
    });
    expect(result).toMatchObject({ code: 0, stdout: 'data: 1\n\ndata: 2\n\n' });
  });
});

it.each([
  [400, 3],
  [401, 4],
  [402, 5],
  [501, 3],
])(
  'what the service refuses through svc api with %i stands on stdout as it came, the error on stderr: exit %i',
  async (status, code) => {
    const refusal = { error: { message: 'no, because' } };
    const service = await fakeService(json(refusal, status, { 'x-svc-request-id': 'r1' }));
    const result = await run('api POST /v1/anything', { env: service.env });
    expect(result).toMatchObject({ code, stdout: JSON.stringify(refusal) });
    expect(result.stderr).toMatch(/^error: no, because\n(hint: [^\n]+\n)?request id: r1\n$/);
  },
);

it('what the service refuses through svc api does not follow a redirect: the key stays', async () => {
  const elsewhere = await fakeService(json({}));
  const service = await fakeService((_request, response) => {
    response.writeHead(307, { location: `${elsewhere.origin}/x` }).end('over there');
  });
  const result = await run('api GET /v1/models', { env: service.env });
  expect(result).toMatchObject({ code: 3, stdout: 'over there' });
  expect(result.stderr).toContain(new URL(elsewhere.origin).host);
  expect(elsewhere.requests).toEqual([]);
});

const asked = async (line: string, status: number) => {
  const service = await fakeService((_request, response) => {
    response.writeHead(status, { 'retry-after': '0' }).end();
  });
  const result = await run(line, { env: service.env });
  return [service.requests.length, result.code];
};

it('the retries of svc api are those of the row that fits, and else of the method', async () => {
  // A quote is safe though it is a POST, and so is the closing of a ticket.
  expect(await asked('api POST /api/media/price -f model=m', 503)).toEqual([3, 6]);
  expect(await asked('api POST /v1/tickets/t1/close', 503)).toEqual([3, 6]);
  expect(await asked('api GET /somewhere/else', 503)).toEqual([3, 6]);
  expect(await asked('api DELETE /somewhere/else', 503)).toEqual([3, 6]);
  expect(await asked('api POST /somewhere/else', 503)).toEqual([1, 10]);
  expect(await asked('api PATCH /v1/models', 503)).toEqual([1, 10]);
  expect(await asked('api POST /v1/chat/completions -f model=m', 503)).toEqual([1, 10]);
});

it('the retries of svc api repeat a paid job only with the token that keeps it one', async () => {
  expect(await asked('api POST /api/media/generate -f model=m', 502)).toEqual([1, 10]);
  expect(await asked('api POST /api/media/generate -f model=m -H Idempotency-Key:k1', 502)).toEqual(
    [3, 10],
  );
  expect(await asked('api POST /v1/tickets -f subject=s', 503)).toEqual([1, 10]);
  expect(await asked('api POST /v1/tickets -f clientIncidentId=i1', 503)).toEqual([3, 10]);
});
