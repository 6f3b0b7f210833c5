import { command, type Loaded } from '../../cli/declaration.js';
import { historyPage } from '../../contract/limits.js';

export const list = command({
  name: 'list',
  summary: 'list what was charged, newest first',
  options: {
    page: { type: 'integer', value: 'N', summary: 'which page', min: 1, default: '1' },
    limit: {
      type: 'integer',
      value: 'N',
      summary: 'records a page',
      min: 1,
      max: historyPage.max,
      default: String(historyPage.default),
    },
  },
  examples: [{ command: 'svc usage list --limit 5', note: 'the last five calls and their prices' }],
  endpoints: ['billing.history'],
  load: (): Promise<Loaded> => import('./list.js'),
});

export const show = command({
  name: 'show',
  summary: 'show one usage record',
  args: [
    {
      name: 'id',
      summary: 'from `svc usage list`, or ids.generation-id of --json',
      required: true,
    },
  ],
  endpoints: ['billing.record'],
  load: (): Promise<Loaded> => import('./show.js'),
});

export const usage = {
  name: 'usage',
  heading: 'Account',
  summary: 'what calls cost',
  commands: [list, show],
} as const;
