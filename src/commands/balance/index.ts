import { command, type Loaded } from '../../cli/declaration.js';

export const balance = {
  ...command({
    name: 'balance',
    summary: 'show the prepaid balance',
    examples: [
      { command: 'svc balance', note: 'in roubles' },
      { command: 'svc balance --json | jq .balance_rub', note: 'for a script' },
    ],
    endpoints: ['billing.balance'],
    load: (): Promise<Loaded> => import('./balance.js'),
  }),
  heading: 'Account',
} as const;
