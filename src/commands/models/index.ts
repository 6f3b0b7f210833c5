import { command, type Loaded } from '../../cli/declaration.js';

export const list = command({
  name: 'list',
  summary: 'list the models',
  options: {
    type: { type: 'text', value: 'TYPE', summary: 'only models of this type, such as image' },
    all: { type: 'switch', summary: 'media models too' },
    variants: { type: 'switch', summary: 'every pinned variant of each model' },
  },
  examples: [
    { command: 'svc models list', note: 'one line a model' },
    { command: 'svc models list --variants --json', note: 'all that is known, as JSON' },
  ],
  endpoints: ['models.list'],
  load: (): Promise<Loaded> => import('./list.js'),
});

export const show = command({
  name: 'show',
  summary: 'show what is known of one model',
  args: [
    {
      name: 'id',
      summary: 'vendor/model, a short form, or model:variant',
      required: true,
      completes: 'model',
    },
  ],
  examples: [
    { command: 'svc --local models show local/guide', note: 'a model of the embedded service' },
  ],
  endpoints: ['models.get'],
  load: (): Promise<Loaded> => import('./show.js'),
});

export const models = {
  name: 'models',
  heading: 'Text',
  summary: 'the models of the service',
  commands: [list, show],
} as const;
