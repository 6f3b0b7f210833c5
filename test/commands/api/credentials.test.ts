import { describe, expect, it } from 'vitest';
import { fakeKey, fakeService, json } from '../../helpers/fake-service.js';
import { run } from '../../helpers/run.js';

describe('the key of svc api', () => {
  it('stays at home where the contract asks for none', async () => {
    const service = await fakeService(json([]));
    const { SVC_BASE_URL } = service.env;
    expect(await run('api GET /api/catalog', { env: { SVC_BASE_URL } })).toMatchObject({ code: 0 });
    expect(await run('api GET /api/catalog', { env: service.env })).toMatchObject({ code: 0 });
    expect(service.requests).toHaveLength(2);
    for (const { headers } of service.requests) expect(headers).not.toHaveProperty('authorization');
  });

  it('gives way to one in a header', async () => {
    const service = await fakeService(json({}));
    const other = 'sk-svc-anotherkey';
    for (const header of [`Authorization: Bearer ${other}`, `x-api-key: ${other}`]) {
      for (const env of [service.env, { SVC_BASE_URL: service.origin }]) {
        const result = await run(['api', 'GET', '/v1/balance', '-H', header, '-v'], { env });
        expect(result).toMatchObject({ code: 0 });
        expect(result.stderr).not.toContain(other);
      }
    }
    const sent = service.requests.map(({ headers }) => [
      headers.authorization,
      headers['x-api-key'],
    ]);
    expect(sent).toEqual([
      [`Bearer ${other}`, undefined],
      [`Bearer ${other}`, undefined],
      [undefined, other],
      [undefined, other],
    ]);
  });

  it('gives way to the session where the contract asks for one', async () => {
    const service = await fakeService(json({}));
    const env = { ...service.env, SVC_SESSION: 'session=abcdef' };
    expect(await run('api GET /api/webhooks', { env })).toMatchObject({ code: 0 });
    expect(await run('api GET /v1/balance', { env })).toMatchObject({ code: 0 });
    const sent = service.requests.map(({ headers }) => [headers.cookie, headers.authorization]);
    expect(sent).toEqual([
      ['session=abcdef', undefined],
      [undefined, `Bearer ${fakeKey}`],
    ]);
  });

  it('never travels in the clear beyond this machine, nor does one in a header', async () => {
    const env = { SVC_BASE_URL: 'http://service.example' };
    const headers = ['x-api-key: sk-svc-other', 'Cookie: session=abcdef', 'X-Auth-Token: abcdef'];
    for (const more of [[], ...headers.map((header) => ['-H', header])]) {
      const result = await run(['api', 'GET', '/v1/balance', ...more], {
        env: more.length > 0 ? env : { ...env, SVC_API_KEY: fakeKey },
      });
      expect(result).toMatchObject({ code: 4, stdout: '' });
      expect(result.stderr).toMatch(
        /^error: the key would travel unencrypted to service\.example\n/,
      );
      expect(result.stderr).not.toContain('sk-svc');
    }
  });

  it.each([
    ['Cookie: sid=FIRST; csrf="SECOND"', 'FIRST', '[key]'],
    ['X-Auth-Token: FIRST', 'FIRST', '[key]'],
    ['Authorization: Bearer FIRST', 'Bearer FIRST', 'Bearer [key]'],
    ['Proxy-Authorization: Basic FIRST==', 'FIRST==', '[key]'],
    ['Authorization: Digest a="FIRST", b="SECOND"', 'a="FIRST"', '[key]'],
  ])('is in no error when a service says it: of %s, %s', async (header, echo, shown) => {
    for (const path of ['/v1/unknown', '/api/webhooks']) {
      // What was hidden once is hidden for good.
      secrets += 1;
      const filled = (text: string) => text.replaceAll(/FIRST|SECOND/g, `VERY$&${String(secrets)}`);
      const service = await fakeService(json({ error: { message: `of ${filled(echo)}.` } }, 400));
      const env = { ...service.env, SVC_SESSION: 'session=abcdef' };
      const result = await run(['api', 'GET', path, '-H', filled(header)], { env });
      expect(result).toMatchObject({ code: 3 });
      expect(result.stderr).toContain(`error: of ${shown}.\n`);
    }
  });
  let secrets = 0;
});
