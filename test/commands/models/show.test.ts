import { expect, it } from 'vitest';
import { fakeService, json, type Answer } from '../../helpers/fake-service.js';
import { testFolder } from '../../helpers/folder.js';
import { run, words } from '../../helpers/run.js';

/** Answers by path; what is not named is 404. */
function paths(replies: Readonly<Record<string, unknown>>): Answer {
  return (request, response) => {
    const { pathname } = new URL(request.url, 'http://any.example');
    const isKnown = pathname in replies;
    json(isKnown ? replies[pathname] : { error: 'not here' }, isKnown ? 200 : 404)(
      request,
      response,
    );
  };
}

const entry = {
  id: 'vendor/one',
  object: 'model',
  type: 'text',
  description: 'Talks\u001b[2J',
  released: '2026-01-01',
};

const replies = {
  '/v1/models/vendor%2Fone': entry,
  '/api/catalog': [
    {
      id: 'vendor/one',
      contextTokens: 8000,
      modalities: { input: ['text', 'image'], output: ['text'] },
      storesDataInRussia: false,
      supported_parameters: { tools: 'supported', seed: 'unconfirmed' },
      variants: [
        { id: 'vendor/one:fast', inputRubPerMillionTokens: 10, outputRubPerMillionTokens: 20 },
        { id: 'vendor/one:cheap', inputRubPerMillionTokens: 1, note: 'slow' },
      ],
    },
  ],
};

const card = [
  ['Model', 'vendor/one'],
  ['Type', 'text'],
  ['About', 'Talks\u001b[2J'],
  ['Price', '10 in, 20 out RUB per 1M tokens'],
  ['Context', '8000 tokens'],
  ['Input', 'text, image'],
  ['Output', 'text'],
  ['Address', 'vendor/one:fast · 10 in, 20 out RUB per 1M tokens'],
  ['Address', 'vendor/one:cheap · 1 in RUB per 1M tokens · note=slow'],
  ['Stored', 'not in Russia'],
  ['Supports', 'tools, seed (unconfirmed)'],
  ['released', '2026-01-01'],
  ['Try', 'svc chat -m vendor/one "Hello"'],
] as const;

it('the card of a model holds everything the service says, aligned and without active controls on a terminal', async () => {
  const { env, requests } = await fakeService(paths(replies));
  expect(await run('models show vendor/one', { env })).toMatchObject({
    code: 0,
    stderr: '',
    stdout: card.map((row) => `${row.join('\t')}\n`).join(''),
  });
  expect(requests.map(({ url }) => url)).toEqual(['/v1/models/vendor%2Fone', '/api/catalog']);
  const shown = [
    'Model     vendor/one',
    'Type      text',
    'About     Talks␛[2J',
    'Price     10.00 in, 20.00 out RUB/1M tokens',
    'Context   8,000 tokens',
    'Input     text, image',
    'Output    text',
    'Address   vendor/one:fast · 10.00 in, 20.00 out RUB/1M tokens',
    '          vendor/one:cheap · 1.00 in RUB/1M tokens · note=slow',
    'Stored    not in Russia',
    'Supports  tools, seed (unconfirmed)',
    'Released  2026-01-01',
    'Try       svc chat -m vendor/one "Hello"',
    '',
  ].join('\n');
  expect(await run('models show vendor/one', { env, tty: true })).toMatchObject({
    code: 0,
    stderr: '',
    stdout: shown,
  });
});

it('the card of a model is under --json its own entry, and those of the catalog and the capabilities', async () => {
  const text = await fakeService(paths(replies));
  const shown = await run('models show vendor/one --json', { env: text.env });
  expect(JSON.parse(shown.stdout)).toEqual({ ...entry, catalog: replies['/api/catalog'][0] });
  expect(shown.stdout).toMatch(/^\{\n {2}"id": "vendor\/one",\n/);

  const image = { id: 'vendor/pen', type: 'image', catalog: 'its own' };
  const capability = { id: 'vendor/pen', providerVariants: [{ id: 'vendor/pen:a', fromRub: 2 }] };
  const media = await fakeService(
    paths({
      '/v1/models/vendor%2Fpen': { data: image },
      '/v1/model-capabilities': { models: [capability], pagination: { total: 1 } },
    }),
  );
  const wrapped = await run('models show vendor/pen --json', { env: media.env });
  expect(JSON.parse(wrapped.stdout)).toEqual({ data: image, capability });
});

it('the card of a model is shown without what is unavailable', async () => {
  const { env } = await fakeService(paths({ '/v1/models/vendor%2Fone': entry }));
  expect(await run('models show vendor/one', { env })).toMatchObject({
    code: 0,
    stderr: '',
    stdout: [
      'Model\tvendor/one',
      'Type\ttext',
      'About\tTalks\u001b[2J',
      'Stored\tnot stated',
      'released\t2026-01-01',
      'Try\tsvc chat -m vendor/one "Hello"',
      '',
    ].join('\n'),
  });
});

it.each(['local/guide', 'local/embed', 'local/canvas', 'local/voice'])(
  'the card of a model of %s names a command that works',
  async (id) => {
    const home = testFolder();
    const { stdout, code } = await run(`--local models show ${id}`, { home });
    expect(code).toBe(0);
    const line = /^Try\tsvc (.+)$/m.exec(stdout)?.[1] ?? '';
    expect(line).toMatch(/^--local \w+ /);
    // What makes a file would make it in the folder of the tests.
    const trial =
      line.endsWith('--help') || line.startsWith('--local chat') ? line : `${line} --dry-run`;
    const result = await run(words(trial), { home });
    expect(result, line).toMatchObject({ code: 0 });
  },
);

const page = (number: number) => ({
  models: [
    {
      id: `vendor/m${number}`,
      kind: 'image',
      availability: 'available',
      price: { fromRub: number, axes: ['size'] },
      operations: [{ id: 'generate', requestJsonSchema: { type: 'object' } }, { id: 'edit' }],
    },
    ...(number === 2 ? ['a model of tomorrow'] : []),
  ],
  pagination: { page: number, pageSize: 1, total: 2, totalPages: 2 },
  stores_data_in_russia: null,
  supported_parameters: { '/v1/images/generations': { n: 'supported' } },
});
const answer: Answer = (request, response) => {
  const { searchParams } = new URL(request.url, 'http://any.example');
  json(page(Number(searchParams.get('page') ?? 1)))(request, response);
};

it('svc models capabilities follows every page with --all', async () => {
  const { env } = await fakeService(answer);
  expect(await run('models capabilities --all', { env })).toMatchObject({
    stdout:
      'vendor/m1\timage\tgenerate\t1\tRUB\tavailable\nvendor/m2\timage\tgenerate\t2\tRUB\tavailable\na model of tomorrow\n',
  });
  const { stdout } = await run('models capabilities --all --match m2 --json', { env });
  expect(JSON.parse(stdout)).toMatchObject({
    models: [{ id: 'vendor/m2' }],
    pagination: { page: 1, pageSize: 3, total: 3, totalPages: 1 },
    stores_data_in_russia: null,
    complete: true,
  });
});

it('svc models capabilities shows a person one model as a card, its options and its variants', async () => {
  const size = { enum: ['1:1', '16:9'], default: '1:1', description: 'Width to height' };
  const opts = { properties: { size, image_url: { type: 'string' } }, required: ['image_url'] };
  const model = {
    id: 'vendor/m1',
    kind: 'image',
    availability: 'available',
    description: 'Paints',
    price: { status: 'exact', fromRub: 1200, axes: ['size', 'n'] },
    operations: [{ id: 'generate', requestJsonSchema: { properties: { opts } } }],
    requestSchema: {},
    limits: { a: 'a long value', b: 'another long value' },
    providerVariants: [
      { id: 'vendor/m1:fast', availability: 'unavailable', description: 'Sooner, but coarser' },
    ],
  };
  const { env } = await fakeService(json({ models: [model] }));
  expect(await run('models capabilities m1', { env, tty: true, columns: 48 })).toMatchObject({
    code: 0,
    stderr: '',
    stdout: [
      'Model         vendor/m1',
      'Type          image',
      'About         Paints',
      'Price         from 1,200.00 RUB, depends on',
      '              size, n',
      'Availability  available',
      'Limits        {"a":"a long value","b":"another…',
      '',
      'Options (--opt NAME=VALUE):',
      'OPTION     VALUES                DESCRIPTION',
      'size       1:1 or 16:9           Width to height',
      '           (default: 1:1)',
      'image_url  text (required)',
      'The prompt is optional.',
      '',
      'VARIANT         AVAILABILITY  DESCRIPTION',
      'vendor/m1:fast  unavailable   Sooner, but',
      '                              coarser',
      '',
    ].join('\n'),
  });
  expect((await run('models capabilities m1', { env })).stdout).toMatch(/^requestSchema\t\{\}$/m);
});

it('svc models capabilities shows all of one model, by any of its names, or names the nearest', async () => {
  const { stdout } = await run('--local models capabilities canvas');
  expect(stdout).toMatch(/^id\tlocal\/canvas$/m);
  expect(stdout).toMatch(/^operations\t\[\{"id":"generate"/m);
  expect(await run('--local models capabilities local/cavnas')).toMatchObject({
    stdout: '',
    stderr:
      'error: no model is called "local/cavnas"; did you mean local/canvas?\nhint: see which there are: `svc --local models capabilities --all`\n',
  });
});
