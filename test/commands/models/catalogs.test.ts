import { describe, expect, it } from 'vitest';
import { fakeService, json } from '../../helpers/fake-service.js';
import { run } from '../../helpers/run.js';

const textModels = [
  {
    id: 'vendor/one',
    contextTokens: 8000,
    storesDataInRussia: true,
    variants: [
      { id: 'vendor/one:fast', inputRubPerMillionTokens: 10, outputRubPerMillionTokens: 20 },
      { id: 'vendor/one:cheap', inputRubPerMillionTokens: 1, outputRubPerMillionTokens: 2 },
    ],
  },
  { id: 'vendor/two', storesDataInRussia: false },
  { id: 'vendor/three', storesDataInRussia: null, news: ['x'] },
];

describe('svc models catalog', () => {
  it('says in three words where data is stored, in each form', async () => {
    const { env } = await fakeService(json(textModels));
    expect(await run('models catalog', { env, tty: true })).toMatchObject({
      code: 0,
      stderr: '',
      stdout: [
        'MODEL         PRICE                            CONTEXT  STORED         VARIANTS',
        'vendor/one    10 in, 20 out RUB per 1M tokens     8000  in Russia      fast, cheap',
        'vendor/two                                              not in Russia',
        'vendor/three                                            not stated',
        '',
      ].join('\n'),
    });
    expect(await run('models catalog', { env })).toMatchObject({
      stdout: [
        'vendor/one\t10 in, 20 out RUB per 1M tokens\t8000\tin Russia\tfast, cheap',
        'vendor/two\t\t\tnot in Russia\t',
        'vendor/three\t\t\tnot stated\t',
        '',
      ].join('\n'),
    });
    expect(JSON.parse((await run('models catalog --json', { env })).stdout)).toEqual(textModels);
  });
});

describe('svc models media', () => {
  const mediaCatalog = {
    pricesArePlaceholder: false,
    pricesAreEstimate: true,
    videoDisabled: true,
    models: [
      {
        id: 'vendor/painter',
        kind: 'image',
        variants: [{ id: 'vendor/painter:a', alias: ':a' }],
        params: ['size', 'seed'],
        fromRub: 0.6,
        axes: ['size'],
      },
      { id: 'vendor/new', kind: 'hologram', fromRub: '2' },
    ],
  };

  it('shows kind, least price and options, in each form', async () => {
    const { env } = await fakeService(json(mediaCatalog));
    expect(await run('models media', { env, tty: true })).toMatchObject({
      code: 0,
      stderr: 'the prices are estimates\nwarning: videos are switched off now\n',
      stdout: [
        'MODEL           KIND      PRICE         VARIANTS  OPTIONS',
        'vendor/painter  image     from 0.6 RUB  a         size, seed',
        'vendor/new      hologram  from 2 RUB',
        '',
        'pricesArePlaceholder  false',
        'pricesAreEstimate     true',
        'videoDisabled         true',
        '',
      ].join('\n'),
    });
    expect(await run('models media', { env })).toMatchObject({
      stdout:
        'vendor/painter\timage\tfrom 0.6 RUB\ta\tsize, seed\nvendor/new\thologram\tfrom 2 RUB\t\t\n',
      stderr: 'the prices are estimates\nwarning: videos are switched off now\n',
    });
    const asJson = await run('models media --json', { env });
    expect(asJson.stderr).toBe('');
    expect(JSON.parse(asJson.stdout)).toEqual(mediaCatalog);
  });
});

describe('the public catalogs', () => {
  it.each([
    ['catalog', '/api/catalog', []],
    ['media', '/api/media-catalog', { models: [] }],
  ])('svc models %s needs no key and sends none', async (verb, url, reply) => {
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
});

describe('svc models pricing', () => {
  const pricing = {
    currency: 'RUB',
    data: [
      { id: 'v/one', type: 'text', inputRubPerMillionTokens: 9, outputRubPerMillionTokens: 1 },
      { id: 'v/embed', type: 'embedding', inputRubPerMillionTokens: 2, variant: ':std' },
    ],
    tools: [{ id: 'web_search', rubPerRequest: 0.3, mode: 'turbo' }],
  };

  it('shows models and tools, in each form', async () => {
    const { env, requests } = await fakeService(json(pricing));
    expect(await run('models pricing', { env, tty: true })).toMatchObject({
      code: 0,
      stderr: '',
      stdout: [
        'MODEL       TYPE       PRICE                          OTHER',
        'v/one       text       9 in, 1 out RUB per 1M tokens',
        'v/embed     embedding  2 in RUB per 1M tokens         variant=:std',
        'web_search  tool       0.3 RUB per request            mode=turbo',
        '',
      ].join('\n'),
    });
    expect(await run('models pricing --sort price', { env })).toMatchObject({
      stdout: [
        'v/embed\tembedding\t2 in RUB per 1M tokens\tvariant=:std',
        'v/one\ttext\t9 in, 1 out RUB per 1M tokens\t',
        'web_search\ttool\t0.3 RUB per request\tmode=turbo',
        '',
      ].join('\n'),
    });
    expect(JSON.parse((await run('models pricing --json', { env })).stdout)).toEqual(pricing);
    const chosen = await run('models pricing --json --match search', { env });
    expect(JSON.parse(chosen.stdout)).toEqual({ ...pricing, data: [] });
    expect(requests[0]).toMatchObject({ url: '/v1/pricing' });
    expect(requests[0]?.headers).toHaveProperty('authorization');
  });
});
