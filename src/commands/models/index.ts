import { command, group, flag, integer, text, under, type Loaded } from '../../cli/declaration.js';
import { capabilitiesPage } from '../../contract/limits.js';

const choice = under('Which, and in what order', {
  // `-q` is --quiet everywhere, and --search is a web search in `svc chat`.
  match: text.several('TERM', 'only those that have this anywhere in their entry'),
  sort: text('ORDER', 'the cheapest, the longest context or the first name at the top', {
    choices: ['price', 'context', 'name'],
  }),
});

const id = {
  name: 'id',
  summary: 'vendor/model, a short form, or model:variant',
  completes: 'model',
} as const;

export const list = command('list', 'list the models with price and context', {
  options: {
    type: text('TYPE', 'only models of this type, such as image'),
    all: flag('media models too'),
    variants: flag('every pinned variant of each model'),
    ...choice,
  },
  examples: [
    'svc models list # one line a model',
    'svc models list --match vision --sort price # the cheapest that has it',
    'svc models list --all --match video # media models too',
    'svc models list --variants --json # all that is known, as JSON',
  ],
  endpoints: ['models.list'],
  load: (): Promise<Loaded> => import('./lists.js').then(({ list }) => ({ run: list })),
});

export const all = command('all', 'list every model the service has, of every kind', {
  options: choice,
  examples: ['svc models all --sort name # text and media, pinned ones too'],
  endpoints: ['models.all'],
  load: (): Promise<Loaded> => import('./lists.js').then(({ all }) => ({ run: all })),
});

export const show = command('show', 'show what is known of one model, and how to use it', {
  description:
    'Show a card of one model: price, context, modalities, addresses, whether what it is sent is stored in Russia, what it supports, and a command to try. What the service tells of it in the catalog and the capabilities is added; --json has all of it, that of the catalog as `catalog` and that of the capabilities as `capability`.',
  args: [{ ...id, required: true }],
  examples: ['svc --local models show local/guide # a model of the embedded service'],
  endpoints: ['models.get', 'models.catalog', 'models.capabilities'],
  load: (): Promise<Loaded> => import('./show.js'),
});

export const capabilities = command('capabilities', 'show what media models take', {
  description:
    'Show what each media model takes, page by page; with an id all that is known of one model, its schemas too. `svc generate ID --help` tells the same as options.',
  args: [id],
  options: {
    ...under('Pages', {
      all: flag('every page'),
      page: integer('N', 'which page', { min: 1, default: '1' }),
      limit: integer('N', 'models a page', capabilitiesPage),
    }),
    match: choice.match,
  },
  examples: [
    'svc models capabilities --all --match image # models that take images',
    "svc --local models capabilities local/canvas --json | jq '.operations[0].requestJsonSchema' # the schema of the body",
  ],
  endpoints: ['models.capabilities'],
  conflicts: [['--all', '--page']],
  load: (): Promise<Loaded> =>
    import('./lists.js').then(({ capabilities }) => ({ run: capabilities })),
});

export const pricing = command('pricing', 'show the prices of text models and of tools', {
  description:
    'Show the prices of text models, embeddings and decisions, and what a call of a tool such as web search costs. Prices of media models are in `svc models media`, exact ones in `svc generate --quote`.',
  options: choice,
  examples: ['svc models pricing --sort price # the cheapest at the top'],
  endpoints: ['models.pricing'],
  load: (): Promise<Loaded> => import('./lists.js').then(({ pricing }) => ({ run: pricing })),
});

export const catalog = command('catalog', 'show the public catalog of text models; needs no key', {
  description:
    'Show the public catalog of text models: prices, context, and whether what a model is sent is stored in Russia, not stored there, or not stated. It needs no key and sends none.',
  options: choice,
  examples: ['svc models catalog --sort context # the longest context first'],
  endpoints: ['models.catalog'],
  load: (): Promise<Loaded> => import('./lists.js').then(({ catalog }) => ({ run: catalog })),
});

export const media = command('media', 'show the public catalog of media models; needs no key', {
  description:
    'Show the public catalog of media models with the least that each costs, which is no exact price. It needs no key and sends none.',
  options: choice,
  examples: ['svc models media --match video # what makes videos'],
  endpoints: ['media.catalog'],
  load: (): Promise<Loaded> => import('./lists.js').then(({ media }) => ({ run: media })),
});

export const models = group('Text', 'models', 'the models of the service', [
  list,
  all,
  show,
  capabilities,
  pricing,
  catalog,
  media,
]);
