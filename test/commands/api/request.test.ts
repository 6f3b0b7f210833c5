import { expect, it } from 'vitest';
import { objectFrom, splitField, typed } from '../../../src/commands/api/request.js';
import { UsageError } from '../../../src/errors.js';
import { fakeKey, fakeService, json } from '../../helpers/fake-service.js';
import { fails, run } from '../../helpers/run.js';

it('svc api refuses to pipe paid bytes into a terminal, before anything is sent', async () => {
  const service = await fakeService((_request, response) => response.end('RIFF'));
  const line = 'api POST /v1/audio/speech -f model=m -f input=hi';
  expect(await run(line, { env: service.env, tty: true })).toMatchObject(fails(2, '> FILE'));
  expect(service.requests).toEqual([]);
  expect(await run(line, { env: service.env })).toMatchObject({ code: 0, stdout: 'RIFF' });
});

it('the key of svc api is not sent where the contract asks for none', async () => {
  const service = await fakeService(json([]));
  const { SVC_BASE_URL } = service.env;
  expect(await run('api GET /api/catalog', { env: { SVC_BASE_URL } })).toMatchObject({ code: 0 });
  expect(await run('api GET /api/catalog', { env: service.env })).toMatchObject({ code: 0 });
  expect(service.requests).toHaveLength(2);
  for (const { headers } of service.requests) expect(headers).not.toHaveProperty('authorization');
});

it('the key of svc api gives way to one in a header', async () => {
  const service = await fakeService(json({}));
  const other = 'sk-svc-anotherkey';
  for (const header of [`Authorization: Bearer ${other}`, `x-api-key: ${other}`]) {
    for (const env of [service.env, { SVC_BASE_URL: service.origin }]) {
      const result = await run(['api', 'GET', '/v1/balance', '-H', header, '-v'], { env });
      expect(result).toMatchObject({ code: 0 });
      expect(result.stderr).not.toContain(other);
    }
  }
  const sent = service.requests.map(({ headers }) => [headers.authorization, headers['x-api-key']]);
  expect(sent).toEqual([
    [`Bearer ${other}`, undefined],
    [`Bearer ${other}`, undefined],
    [undefined, other],
    [undefined, other],
  ]);
});

it('the key of svc api gives way to the session where the contract asks for one', async () => {
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

it('the key of svc api never travels in the clear beyond this machine, nor does one in a header', async () => {
  const env = { SVC_BASE_URL: 'http://service.example' };
  const headers = ['x-api-key: sk-svc-other', 'Cookie: session=abcdef', 'X-Auth-Token: abcdef'];
  for (const more of [[], ...headers.map((header) => ['-H', header])]) {
    const result = await run(['api', 'GET', '/v1/balance', ...more], {
      env: more.length > 0 ? env : { ...env, SVC_API_KEY: fakeKey },
    });
    expect(result).toMatchObject({ code: 4, stdout: '' });
    expect(result.stderr).toMatch(
      /^error: the key would be sent unencrypted to service\.example\n/,
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
])(
  'the key of svc api appears in no error when a service echoes it: of %s, %s',
  async (header, echo, shown) => {
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
  },
);
let secrets = 0;

/** What `-f` fields build together. */
function built(...fields: string[]): string {
  const parsed = fields.map(splitField).map((one) => ({ ...one, value: one.text }));
  return JSON.stringify(objectFrom(parsed));
}

it.each([
  [['a=1', 'b[c]=2', 'b[d][e]=3'], '{"a":"1","b":{"c":"2","d":{"e":"3"}}}'],
  [['a[]=1', 'a[]=', 'b[c][]=x'], '{"a":["1",""],"b":{"c":["x"]}}'],
  [['a[][]=1', 'a[][]=2'], '{"a":[["1"],["2"]]}'],
  // One object of a list is filled until a field comes again.
  [['m[][r]=u', 'm[][c]=hi', 'm[][r]=s'], '{"m":[{"r":"u","c":"hi"},{"r":"s"}]}'],
  [['m[][a][b]=1', 'm[][a][c]=2', 'm[][z]=3'], '{"m":[{"a":{"b":"1","c":"2"},"z":"3"}]}'],
  [
    ['m[][p][]=1', 'm[][p][]=2', 'm[][r]=x', 'm[][r]=y'],
    '{"m":[{"p":["1","2"],"r":"x"},{"r":"y"}]}',
  ],
])('fields %j nest by brackets and list by empty ones', (fields, text) => {
  expect(built(...fields)).toBe(text);
});

it('fields accept equals signs, brackets and line feeds in a value, and any word as a name', () => {
  expect(built('a=b=c[d]\n=')).toBe('{"a":"b=c[d]\\n="}');
  expect(built('__proto__[x]=1', 'constructor=2', 'toString[]=3')).toBe(
    '{"__proto__":{"x":"1"},"constructor":"2","toString":["3"]}',
  );
  expect(Object.prototype).not.toHaveProperty('x');
});

it('fields that contradict each other are refused', () => {
  for (const second of ['a=1', 'a[]=1']) {
    expect(() => built('a[b]=1', second)).toThrow(UsageError);
  }
  const withNull = [
    { name: 'a', text: 'null', value: null },
    { name: 'a[b]', text: '1', value: 1 },
  ];
  expect(() => objectFrom(withNull)).toThrow('the field a[b] conflicts with another field');
});

it('a typed value is true, false, null or a number as JSON writes it, and else text', () => {
  const values: [string, unknown][] = [
    ['true', true],
    ['null', null],
    ['0', 0],
    ['-12', -12],
    ['2e3', 2000],
    ['', ''],
    ['01', '01'],
    ['.5', '.5'],
    ['0x10', '0x10'],
    ['NaN', 'NaN'],
  ];
  for (const [text, value] of values) expect(typed(text), text).toBe(value);
});
