/** The lists of models, in each of their forms. */
import { listCommand } from '../../helpers/list-command.js';

const small = {
  id: 'vendor/small',
  type: 'text',
  context_length: 8000,
  pricing: { inputRubPerMillionTokens: 10, outputRubPerMillionTokens: 20 },
};
const painter = { id: 'another/painter', type: 'image', pricing: { fromRub: 0.6 } };
const models = {
  terminal: [
    'MODEL            TYPE       PRICE  PRICE OUT  UNIT           CONTEXT',
    'vendor/small     text       10.00      20.00  RUB/1M tokens    8,000',
    'another/painter  image  from 0.60             RUB',
  ],
  pipe: ['vendor/small\ttext\t10\t20\tRUB/1M tokens\t8000', 'another/painter\timage\t0.6\t\tRUB\t'],
};

listCommand({
  ...models,
  line: 'models list --all',
  from: { reply: { object: 'list', data: [small, painter], extra: true } },
  empty: [{ reply: { data: [] } }, 'no models'],
});

listCommand({
  ...models,
  line: 'models all',
  asks: '/v1/models/all',
  from: { reply: { models: [small, painter], total: 2 } },
});

listCommand({
  line: 'models catalog',
  asks: '/api/catalog',
  from: {
    reply: [
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
    ],
  },
  terminal: [
    'MODEL         PRICE  PRICE OUT  UNIT           CONTEXT  STORED         VARIANTS',
    'vendor/one    10.00      20.00  RUB/1M tokens    8,000  in Russia      fast, cheap',
    'vendor/two                                              not in Russia',
    'vendor/three                                            not stated',
  ],
  pipe: [
    'vendor/one\t10\t20\tRUB/1M tokens\t8000\tin Russia\tfast, cheap',
    'vendor/two\t\t\t\t\tnot in Russia\t',
    'vendor/three\t\t\t\t\tnot stated\t',
  ],
  empty: [{ reply: [] }, 'no models'],
});

listCommand({
  line: 'models media',
  asks: '/api/media-catalog',
  from: {
    reply: {
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
    },
  },
  notes: 'the prices are estimates\nwarning: video models are currently unavailable\n',
  terminal: [
    'MODEL           KIND          PRICE  UNIT  VARIANTS  OPTIONS',
    'vendor/painter  image     from 0.60  RUB   a         size, seed',
    'vendor/new      hologram  from 2.00  RUB',
  ],
  pipe: ['vendor/painter\timage\t0.6\tRUB\ta\tsize, seed', 'vendor/new\thologram\t2\tRUB\t\t'],
  empty: [{ reply: { models: [] } }, 'no models'],
});

listCommand({
  line: 'models pricing',
  asks: '/v1/pricing',
  from: {
    reply: {
      currency: 'RUB',
      data: [
        { id: 'v/one', type: 'text', inputRubPerMillionTokens: 9, outputRubPerMillionTokens: 1 },
        { id: 'v/embed', type: 'embedding', inputRubPerMillionTokens: 2, variant: ':std' },
      ],
      tools: [{ id: 'web_search', rubPerRequest: 0.3, rubPerResult: 0.05, mode: 'turbo' }],
    },
  },
  terminal: [
    'MODEL        TYPE       PRICE  PRICE OUT  UNIT           OTHER',
    'v/one        text        9.00       1.00  RUB/1M tokens',
    'v/embed:std  embedding   2.00             RUB/1M tokens',
    'web_search   tool        0.30             RUB/request    mode=turbo result=0.05',
  ],
  pipe: [
    'v/one\ttext\t9\t1\tRUB/1M tokens\t',
    'v/embed\tembedding\t2\t\tRUB/1M tokens\tvariant=:std',
    'web_search\ttool\t0.3\t\tRUB/request\tmode=turbo result=0.05',
  ],
});

const capability = {
  id: 'vendor/m1',
  kind: 'image',
  availability: 'available',
  price: { fromRub: 1, axes: ['size'] },
  operations: [{ id: 'generate', requestJsonSchema: { type: 'object' } }],
};

listCommand({
  line: 'models capabilities --page 2',
  asks: '/v1/model-capabilities?page=2',
  from: {
    reply: {
      models: [capability, 'a model of tomorrow'],
      pagination: { page: 2, pageSize: 2, total: 4, totalPages: 2 },
    },
  },
  terminal: [
    'MODEL                KIND   OPERATIONS      PRICE  UNIT  AVAILABILITY',
    'vendor/m1            image  generate    from 1.00  RUB   available',
    'a model of tomorrow',
  ],
  pipe: ['vendor/m1\timage\tgenerate\t1\tRUB\tavailable', 'a model of tomorrow'],
});
