import { expect, it } from 'vitest';
import { recordOf } from '../../../src/lib/json.js';
import { type Answer, fakeService, json } from '../../helpers/fake-service.js';
import { run } from '../../helpers/run.js';

const small = {
  id: 'vendor/small',
  type: 'text',
  description: 'Quick',
  context_length: 8000,
  pricing: { inputRubPerMillionTokens: 10, outputRubPerMillionTokens: 20 },
};
const large = {
  id: 'vendor/large',
  type: 'text',
  description: 'Thorough, with vision',
  context_length: 1_000_000,
  pricing: { inputRubPerMillionTokens: 100, outputRubPerMillionTokens: 400 },
};
const painter = { id: 'another/painter', type: 'image', pricing: { fromRub: 0.6 } };
const list = { object: 'list', data: [large, painter, small], extra: true };

const first = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0]);

it('svc models list keeps the complete id and price on a narrow screen', async () => {
  const { env } = await fakeService(json(list));
  expect(await run('models list --all', { env, tty: true, columns: 40 })).toMatchObject({
    stdout: [
      'MODEL                PRICE  PRICE OUT',
      'vendor/large        100.00     400.00',
      'another/painter  from 0.60',
      'vendor/small         10.00      20.00',
      '',
    ].join('\n'),
  });
});

it('svc models list says on a terminal how many media models it leaves out', async () => {
  const tty = { tty: true };
  const note = '8 media models are not shown: svc --local models list --all\n';
  expect((await run('--local models list', tty)).stderr).toBe(note);
  for (const line of ['models list --all', 'models list --type image', 'models list --json']) {
    expect((await run(`--local ${line}`, tty)).stderr).toBe('');
  }
  expect((await run('--local models list')).stderr).toBe('');
});

it('svc models list says how to list every type where a type has no models', async () => {
  const { env } = await fakeService(json({ data: [] }));
  expect(await run('models list --type speech', { env })).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'no models of the type "speech"; `svc models list --all` lists every type\n',
  });
});

it.each([
  ['--sort price', ['vendor/small', 'vendor/large', 'another/painter']],
  ['--sort context', ['vendor/large', 'vendor/small', 'another/painter']],
  ['--sort name', ['another/painter', 'vendor/large', 'vendor/small']],
  ['--match vendor --match QUICK', ['vendor/small']],
  ['--match vendor --sort price', ['vendor/small', 'vendor/large']],
  ['--sort context --limit 2', ['vendor/large', 'vendor/small']],
  ['--limit 1', ['vendor/large']],
])('svc models list %s chooses and orders, for --json too', async (options, ids) => {
  const { env, requests } = await fakeService(json(list));
  const piped = await run(`models list ${options}`, { env });
  expect(piped).toMatchObject({ code: 0, stderr: '' });
  expect(first(piped.stdout)).toEqual(ids);
  const { stdout } = await run(`models list ${options} --json`, { env });
  const reply = recordOf(JSON.parse(stdout));
  expect(reply).toMatchObject({ object: 'list', extra: true, data: ids.map((id) => ({ id })) });
  expect(requests.map(({ url }) => url)).toEqual(['/v1/models', '/v1/models']);
});

it('svc models list asks the price list, or the catalog, where sorting needs what the list does not contain', async () => {
  const bare = { data: [{ id: 'v/dear' }, { id: 'v/cheap' }, { id: 'v/other' }] };
  const answer: Answer = (request, response) => {
    const reply =
      request.url === '/v1/pricing'
        ? { data: { 'v/cheap': { priceRub: 1 }, 'v/dear': { priceRub: 2 } } }
        : request.url === '/api/catalog'
          ? [
              { id: 'v/cheap', contextTokens: 5 },
              { id: 'v/dear', contextTokens: 9 },
            ]
          : bare;
    json(reply)(request, response);
  };
  const { env, requests } = await fakeService(answer);
  expect(await run('models list --sort price', { env })).toMatchObject({
    stdout: 'v/cheap\t\t1\t\tRUB\t\nv/dear\t\t2\t\tRUB\t\nv/other\t\t\t\t\t\n',
    stderr: '',
  });
  expect(await run('models list --sort context', { env })).toMatchObject({
    stdout: 'v/dear\t\t\t\t\t9\nv/cheap\t\t\t\t\t5\nv/other\t\t\t\t\t\n',
    stderr: '',
  });
  expect(requests.map(({ url }) => url)).toEqual([
    '/v1/models',
    '/v1/pricing',
    '/v1/models',
    '/api/catalog',
  ]);
});

it.each([
  ['catalog', '/api/catalog', []],
  ['media', '/api/media-catalog', { models: [] }],
])('the public catalog of svc models %s needs no key and sends none', async (verb, url, reply) => {
  const service = await fakeService(json(reply));
  const { SVC_BASE_URL } = service.env;
  for (const env of [{ SVC_BASE_URL }, service.env]) {
    expect(await run(`models ${verb}`, { env })).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'no models\n',
    });
  }
  expect(service.requests.map((request) => request.url)).toEqual([url, url]);
  for (const { headers } of service.requests) {
    expect(headers).not.toHaveProperty('authorization');
    expect(headers).not.toHaveProperty('x-api-key');
    expect(headers).not.toHaveProperty('cookie');
  }
});

it('svc models pricing sorts and chooses, and leaves the rest of the reply', async () => {
  const tools = [{ id: 'web_search', rubPerRequest: 0.3 }];
  const data = [
    { id: 'v/one', inputRubPerMillionTokens: 9 },
    { id: 'v/two', inputRubPerMillionTokens: 2 },
  ];
  const { env, requests } = await fakeService(json({ currency: 'RUB', data, tools }));
  const sorted = await run('models pricing --sort price', { env });
  expect(first(sorted.stdout)).toEqual(['v/two', 'v/one', 'web_search']);
  const chosen = await run('models pricing --json --match search', { env });
  expect(JSON.parse(chosen.stdout)).toEqual({ currency: 'RUB', data: [], tools });
  expect(requests[0]?.headers).toHaveProperty('authorization');
});

it('svc models list asks for what the flags say, and gives a script all that came', async () => {
  const service = await fakeService(json(list));
  const line = 'models list --type image --all --variants --json';
  const result = await run(line, { env: service.env });
  expect(result).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(result.stdout)).toEqual(list);
  const { searchParams } = new URL(service.requests[0]?.url ?? '', service.origin);
  expect(Object.fromEntries(searchParams)).toEqual({
    type: 'image',
    all: 'true',
    variants: '1',
  });
});

it('svc models show asks for one model by any of its names, as one step of the path', async () => {
  const service = await fakeService(json({ id: 'x' }));
  for (const id of ['vendor/one', 'one:pin', 'a b?#%']) {
    await run(['models', 'show', id], { env: service.env });
  }
  const asked = service.requests.map(({ url }) => url);
  expect(asked.filter((url) => url.startsWith('/v1/models/'))).toEqual([
    '/v1/models/vendor%2Fone',
    '/v1/models/one%3Apin',
    '/v1/models/a%20b%3F%23%25',
  ]);
});

it('svc models show refuses a model that does not exist, and names the nearest', async () => {
  for (const [id, guess] of [
    ['local/guid', '; did you mean local/guide?'],
    ['cnavas', '; did you mean canvas?'],
    ['xyzxyzxyz', ''],
  ] as const) {
    expect(await run(`--local models show ${id}`)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `error: no model is called "${id}"${guess}\nhint: see which there are: \`svc --local models list --all\`\n`,
    });
  }
});

it('svc models show shows the refusal of the service where that cannot list its models', async () => {
  const service = await fakeService(json({ error: 'no such model' }, 404));
  const result = await run('models show nope', { env: service.env });
  expect(result).toMatchObject({ code: 3, stdout: '' });
  expect(result.stderr).toMatch(/^error: no such model\nhint: [^\n]*`svc models list`\n$/);
});
