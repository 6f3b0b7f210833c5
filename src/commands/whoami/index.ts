import { command, type Loaded } from '../../cli/declaration.js';

export const whoami = {
  ...command({
    name: 'whoami',
    summary: 'show the profile and key in use, and prove them',
    examples: [
      { command: 'svc whoami', note: 'what is used, and where it comes from' },
      { command: 'svc whoami --json | jq -r .baseUrl', note: 'for a script' },
    ],
    endpoints: ['billing.balance'],
    load: (): Promise<Loaded> => import('./whoami.js'),
  }),
  heading: 'Account',
} as const;
