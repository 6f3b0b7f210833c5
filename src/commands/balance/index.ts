import { command, number, type Loaded } from '../../cli/declaration.js';

export const balance = {
  ...command({
    name: 'balance',
    summary: 'show the prepaid balance',
    description:
      'Show what is left of the prepaid money. With --warn-below a script learns by exit code 5 that it is time to top up; the setting low_balance warns after any command that learns the balance.',
    options: {
      warnBelow: number('RUB', 'end with exit code 5 when less than this is left', { min: 0 }),
    },
    examples: [
      { command: 'svc balance', note: 'in roubles' },
      { command: 'svc balance --json | jq .balance_rub', note: 'for a script' },
      { command: 'svc balance --warn-below 100 || echo "top up"', note: 'in a nightly job' },
    ],
    endpoints: ['billing.balance'],
    load: (): Promise<Loaded> => import('./balance.js'),
  }),
  heading: 'Account',
} as const;
