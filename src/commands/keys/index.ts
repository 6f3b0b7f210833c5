import { command, type Loaded } from '../../cli/declaration.js';

export const list = command({
  name: 'list',
  summary: "list the account's keys",
  description:
    'List the keys of the account, with whatever the service tells of them but a whole key. Keys are made and deleted in the web cabinet alone.',
  examples: [{ command: 'svc keys list', note: 'one line a key' }],
  endpoints: ['keys.list'],
  load: (): Promise<Loaded> => import('./list.js'),
});

export const show = command({
  name: 'show',
  summary: 'show what the key in use has spent',
  description:
    'Show what the service tells of the key in use: balance, spend today and this month, how many requests.',
  examples: [{ command: 'svc keys show', note: 'today and this month' }],
  endpoints: ['billing.keyUsage'],
  load: (): Promise<Loaded> => import('./show.js'),
});

export const keys = {
  name: 'keys',
  heading: 'Account',
  summary: "the account's keys",
  commands: [list, show],
} as const;
