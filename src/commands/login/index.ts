import { command, flag, type Loaded } from '../../cli/declaration.js';

export const login = {
  ...command({
    name: 'login',
    summary: 'store a base URL and a key',
    description:
      'Asks where the service is and for a key, proves the key with a call, and stores both in a ' +
      'profile. The key is typed unseen or read from standard input, never given as an argument.',
    options: {
      withKey: flag('read the key from standard input'),
      verify: flag('store the key without proving it', { negated: true }),
    },
    examples: [
      { command: 'svc login', note: 'asks for both' },
      {
        command: 'svc login --with-key --base-url https://api.example.com < key.txt',
        note: 'asks for nothing',
      },
      { command: 'svc login --profile work', note: 'a second account' },
    ],
    endpoints: ['billing.balance'],
    load: (): Promise<Loaded> => import('./login.js'),
  }),
  heading: 'Account',
} as const;
