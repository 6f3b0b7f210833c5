/** The account: its key, money and addresses. */
import { command, group, flag, number, text, type Loaded } from '../../cli/declaration.js';

export const balance = command('balance', 'show the prepaid balance', {
  heading: 'Account',
  description:
    'Show what is left of the prepaid money. With --warn-below a script learns by exit code 5 that it is time to top up; the setting low_balance warns after any command that learns the balance.',
  options: {
    warnBelow: number('RUB', 'end with exit code 5 when less than this is left', { min: 0 }),
  },
  examples: [
    'svc balance # in roubles',
    'svc balance --json | jq .balance_rub # for a script',
    'svc balance --warn-below 100 || echo "top up" # in a nightly job',
  ],
  endpoints: ['billing.balance'],
  load: (): Promise<Loaded> => import('./balance.js').then(({ balance: run }) => ({ run })),
});

export const listOfKeys = command('list', "list the account's keys", {
  description:
    'List the keys of the account, with whatever the service tells of them but a whole key. Keys are made and deleted in the web cabinet alone.',
  examples: ['svc keys list # one line a key'],
  endpoints: ['keys.list'],
  load: (): Promise<Loaded> => import('./balance.js').then(({ listOfKeys: run }) => ({ run })),
});

export const keyInUse = command('show', 'show what the key in use has spent', {
  description:
    'Show what the service tells of the key in use: balance, spend today and this month, how many requests.',
  examples: ['svc keys show # today and this month'],
  endpoints: ['billing.keyUsage'],
  load: (): Promise<Loaded> => import('./balance.js').then(({ keyInUse: run }) => ({ run })),
});

export const keys = group('Account', 'keys', "the account's keys", [listOfKeys, keyInUse]);

export const showWebhooks = command('show', 'show where notifications go', {
  description:
    "Show the account's notification addresses. This is for a session of the web cabinet; a key is not enough: log in to the cabinet in a browser, copy the Cookie header of one of its requests, and set it as SVC_SESSION. With --local there is a session already.",
  examples: [
    'svc --local webhooks show # of the embedded service',
    'read -rs SVC_SESSION && export SVC_SESSION && svc webhooks show # paste the Cookie header, unseen',
  ],
  endpoints: ['webhooks.get'],
  load: (): Promise<Loaded> => import('./webhooks.js').then(({ showWebhooks: run }) => ({ run })),
});

export const setWebhook = command('set', 'set where notifications go', {
  description:
    'Set where the account is told that a media job has ended, or that the balance runs low. Both addresses are sent: one that is not named stays as it is. Like `svc webhooks show` this is for a session of the web cabinet, in SVC_SESSION.',
  options: {
    media: text('URL|none', 'where the end of a media job is told (https); none takes it away'),
    balance: text('URL|none', 'where a low balance is told (https); none takes it away'),
  },
  examples: [
    'svc webhooks set --media https://example.com/jobs # jobs; the other address stays',
    'svc webhooks set --media none --balance none # no notifications',
  ],
  endpoints: ['webhooks.set', 'webhooks.get'],
  load: (): Promise<Loaded> => import('./webhooks.js').then(({ setWebhook: run }) => ({ run })),
  dryRun: (): Promise<Loaded> => import('./webhooks.js').then(({ showSetting: run }) => ({ run })),
});

export const webhooks = group('Account', 'webhooks', 'where notifications go', [
  showWebhooks,
  setWebhook,
]);

export const login = command('login', 'store a base URL and a key', {
  heading: 'Account',
  description:
    'Asks where the service is and for a key, proves the key with a call, and stores both in a ' +
    'profile. The key is typed unseen or read from standard input, never given as an argument.',
  options: {
    withKey: flag('read the key from standard input'),
    verify: flag('store the key without proving it', { negated: true }),
  },
  examples: [
    'svc login # asks for both',
    'svc login --with-key --base-url https://api.example.com < key.txt # asks for nothing',
    'svc login --profile work # a second account',
  ],
  endpoints: ['billing.balance', 'models.list', 'media.catalog', 'models.pricing'],
  load: (): Promise<Loaded> => import('./login.js').then(({ login: run }) => ({ run })),
});

export const init = command('init', 'set svc up: log in, choose default models, ask a question', {
  heading: 'Account',
  description:
    'Asks for the base URL and the key, offers the cheapest models as defaults, and asks a first question. Prices are shown before anything is spent. Run it again at any time: it asks only for what is missing.',
  examples: ['svc init # the first run', 'svc --local init # offline, no account'],
  endpoints: ['billing.balance', 'models.list', 'media.catalog', 'models.pricing', 'chat.create'],
  load: (): Promise<Loaded> => import('./login.js').then(({ init: run }) => ({ run })),
});

export const logout = command('logout', 'remove the stored key', {
  heading: 'Account',
  description: 'Removes the key of the profile and keeps its other settings.',
  options: { all: flag('remove the keys of all profiles') },
  examples: ['svc logout # the profile in use', 'svc logout --all # every stored key'],
  load: (): Promise<Loaded> => import('./login.js').then(({ logout: run }) => ({ run })),
});

export const whoami = command('whoami', 'show the profile and key in use, and prove them', {
  heading: 'Account',
  examples: [
    'svc whoami # what is used, and where it comes from',
    'svc whoami --json | jq -r .baseUrl # for a script',
  ],
  endpoints: ['billing.balance'],
  load: (): Promise<Loaded> => import('./login.js').then(({ whoami: run }) => ({ run })),
});
