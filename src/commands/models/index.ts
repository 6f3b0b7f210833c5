import { command, firstOnes, group, flag, integer, text, under } from '../../command.js';
import { capabilitiesPage } from '../../contract/limits.js';

const choice = under('Filter and order', {
  // `-q` is --quiet everywhere, and --search is a web search in `svc chat`.
  match: text.several('TERM', 'only models with this text anywhere in their entry'),
  sort: text('ORDER', 'sort by lowest price, longest context or name', {
    choices: ['price', 'context', 'name'],
  }),
  ...firstOnes,
});

const id = {
  name: 'id',
  summary: 'vendor/model, its short form, or model:variant',
  completes: 'model',
} as const;

const prices = ['price', 'price_out', 'unit'];

export const list = command('list', 'list models with their price and context', {
  description:
    'List models with their prices and context. PRICE is for input and PRICE OUT for output, as UNIT says; for a media model, PRICE is the lowest.',
  columns: ['model', 'type', ...prices, 'context'],
  options: {
    type: text(
      'TYPE',
      'only models of this type, such as image, or audio for speech and transcription',
    ),
    all: flag('include media models'),
    variants: flag('include every pinned variant'),
    ...choice,
  },
  examples: [
    'svc models list # one line for each model',
    'svc models list --match vision --sort price # the cheapest first',
    'svc models list --type audio # speech and transcription',
    'svc models list --variants --json # every field, as JSON',
  ],
  endpoints: ['models.list'],
});

export const all = command('all', 'list every model of every type', {
  columns: ['model', 'type', ...prices, 'context'],
  isMore: true,
  options: choice,
  examples: ['svc models all --sort name # text and media, with pinned variants'],
  endpoints: ['models.all'],
});

export const show = command('show', 'show one model and how to use it', {
  columns: ['name', 'value'],
  description:
    'Show the price, context, modalities and addresses of a model, whether it stores data in Russia, what it supports, and a command to try. Its entries in the catalog and in the capabilities are included; with --json they are the fields `catalog` and `capability`.',
  args: [{ ...id, required: true }],
  examples: ['svc --local models show local/guide # a model of the embedded service'],
  endpoints: ['models.get', 'models.catalog', 'models.capabilities'],
});

export const capabilities = command('capabilities', 'show what media models accept', {
  columns: ['model', 'kind', 'operations', 'price', 'unit', 'availability'],
  isMore: true,
  description:
    'Show what media models accept, page by page. With an id, show one model with its options and variants; --json includes the JSON Schemas. `svc generate ID --help` shows the same options.',
  args: [id],
  options: {
    ...under('Pages', {
      all: flag('every page'),
      page: integer('N', 'page number', { min: 1, default: '1' }),
      limit: integer('N', 'models per page', capabilitiesPage),
    }),
    match: choice.match,
  },
  examples: [
    'svc models capabilities --all --match image # models that take images',
    "svc --local models capabilities local/canvas --json | jq '.operations[0].requestJsonSchema' # the schema of the body",
  ],
  endpoints: ['models.capabilities'],
  conflicts: [['--all', '--page']],
});

export const pricing = command('pricing', 'show the prices of text models and tools', {
  columns: ['model', 'type', ...prices, 'other'],
  isMore: true,
  description:
    'Show the prices of text, embedding and decision models, and of tool calls such as web searches. `svc models media` shows the prices of media models; `svc generate --quote` shows exact ones.',
  options: choice,
  examples: ['svc models pricing --sort price # the cheapest first'],
  endpoints: ['models.pricing'],
});

export const catalog = command('catalog', 'show the public catalog of text models, without a key', {
  columns: ['model', ...prices, 'context', 'stored', 'variants'],
  isMore: true,
  description:
    'Show the public catalog of text models: prices, context, and whether data is stored in Russia, elsewhere, or not stated. No key is needed or sent.',
  options: choice,
  examples: ['svc models catalog --sort context # the longest context first'],
  endpoints: ['models.catalog'],
});

export const media = command('media', 'show the public catalog of media models, without a key', {
  columns: ['model', 'kind', 'price', 'unit', 'variants', 'options'],
  isMore: true,
  description:
    'Show the public catalog of media models with their lowest prices, which are not exact. No key is needed or sent.',
  options: choice,
  examples: ['svc models media --match video # models for video'],
  endpoints: ['media.catalog'],
});

export const models = group('Text', 'models', 'models, prices and capabilities', [
  list,
  show,
  all,
  capabilities,
  pricing,
  catalog,
  media,
]);
