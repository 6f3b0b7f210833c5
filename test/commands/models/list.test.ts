import { describe, expect, it } from 'vitest';
import { recordOf } from '../../../src/lib/json.js';
import { fakeService, json, type Answer } from '../../helpers/fake-service.js';
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

describe('svc models list', () => {
  it('gives a terminal price and context beside the name', async () => {
    const { env } = await fakeService(json(list));
    expect(await run('models list --all', { env, tty: true })).toMatchObject({
      code: 0,
      stderr: '',
      stdout: [
        'MODEL            TYPE   PRICE                              CONTEXT',
        'vendor/large     text   100 in, 400 out RUB per 1M tokens  1000000',
        'another/painter  image  from 0.6 RUB',
        'vendor/small     text   10 in, 20 out RUB per 1M tokens       8000',
        '',
      ].join('\n'),
    });
  });

  it('gives a pipe the same cells', async () => {
    const { env } = await fakeService(json(list));
    expect(await run('models list --all', { env })).toMatchObject({
      code: 0,
      stderr: '',
      stdout: [
        'vendor/large\ttext\t100 in, 400 out RUB per 1M tokens\t1000000',
        'another/painter\timage\tfrom 0.6 RUB\t',
        'vendor/small\ttext\t10 in, 20 out RUB per 1M tokens\t8000',
        '',
      ].join('\n'),
    });
  });

  it.each([
    ['--sort price', ['vendor/small', 'vendor/large', 'another/painter']],
    ['--sort context', ['vendor/large', 'vendor/small', 'another/painter']],
    ['--sort name', ['another/painter', 'vendor/large', 'vendor/small']],
    ['--match VISION', ['vendor/large']],
    ['--match vendor --match quick', ['vendor/small']],
    ['--match vendor --sort price', ['vendor/small', 'vendor/large']],
  ])('%s chooses and orders, for --json too', async (options, ids) => {
    const { env, requests } = await fakeService(json(list));
    const piped = await run(`models list ${options}`, { env });
    expect(piped).toMatchObject({ code: 0, stderr: '' });
    expect(first(piped.stdout)).toEqual(ids);
    const { stdout } = await run(`models list ${options} --json`, { env });
    const reply = recordOf(JSON.parse(stdout));
    expect(reply).toMatchObject({ object: 'list', extra: true, data: ids.map((id) => ({ id })) });
    expect(requests.map(({ url }) => url)).toEqual(['/v1/models', '/v1/models']);
  });

  it('asks the price list, or the catalog, where an order needs what the list does not tell', async () => {
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
      stdout: 'v/cheap\t\t1 RUB\t\nv/dear\t\t2 RUB\t\nv/other\t\t\t\n',
      stderr: '',
    });
    expect(await run('models list --sort context', { env })).toMatchObject({
      stdout: 'v/dear\t\t\t9\nv/cheap\t\t\t5\nv/other\t\t\t\n',
      stderr: '',
    });
    expect(requests.map(({ url }) => url)).toEqual([
      '/v1/models',
      '/v1/pricing',
      '/v1/models',
      '/api/catalog',
    ]);
  });
});

describe('svc models all', () => {
  it('lists whatever comes, in each form', async () => {
    const { env, requests } = await fakeService(json({ models: [small, painter], total: 2 }));
    expect(await run('models all', { env })).toMatchObject({
      code: 0,
      stderr: '',
      stdout:
        'vendor/small\ttext\t10 in, 20 out RUB per 1M tokens\t8000\nanother/painter\timage\tfrom 0.6 RUB\t\n',
    });
    expect(await run('models all --match painter', { env, tty: true })).toMatchObject({
      stdout:
        'MODEL            TYPE   PRICE         CONTEXT\nanother/painter  image  from 0.6 RUB\n\nFIELD  VALUE\ntotal  2\n',
    });
    expect(JSON.parse((await run('models all --json', { env })).stdout)).toEqual({
      models: [small, painter],
      total: 2,
    });
    expect(JSON.parse((await run('models all --json --sort name', { env })).stdout)).toEqual({
      models: [painter, small],
      total: 2,
    });
    expect(new Set(requests.map(({ url }) => url))).toEqual(new Set(['/v1/models/all']));
  });
});
