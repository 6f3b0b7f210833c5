/** The account: its keys, balance and notification addresses. */
import { command, firstOnes, group, flag, number, text } from '../../command.js';

export const balance = command('balance', 'show the prepaid balance', {
  heading: 'Account',
  description:
    'Show the prepaid balance. With --warn-below, svc exits with 5 when it is low. With the setting low_balance, every command that learns the balance warns of a low one.',
  options: { warnBelow: number('RUB', 'exit with 5 when the balance is below this', { min: 0 }) },
  examples: [
    'svc balance # in roubles',
    'svc balance --json | jq .balance_rub # for a script',
    'svc balance --warn-below 100 || echo "top up" # in a nightly job',
  ],
  endpoints: ['billing.balance'],
});

export const keyColumns = 'id name prefix last_four ip_allow_list sandbox created last_used'.split(
  ' ',
);

export const listOfKeys = command('list', "list the account's keys", {
  columns: keyColumns,
  options: firstOnes,
  description:
    'List the keys of the account; no key is shown in full. To create or delete a key, use the web cabinet.',
  examples: ['svc keys list # one line per key'],
  endpoints: ['keys.list'],
});

export const keyInUse = command('show', 'show what the current key has spent', {
  columns: ['name', 'value'],
  description:
    'Show the balance, what the current key has spent today and this month, and how many requests it has sent.',
  examples: ['svc keys show # today and this month'],
  endpoints: ['billing.keyUsage'],
});

export const keys = group('Account', 'keys', "the account's keys", [listOfKeys, keyInUse]);

export const showWebhooks = command('show', 'show the notification addresses', {
  columns: ['name', 'value'],
  description:
    "Show the account's notification addresses. This needs a session of the web cabinet, not a key: log in to the cabinet in a browser, copy the Cookie header of a request, and set it as SVC_SESSION. With --local, a session exists already.",
  examples: [
    'svc --local webhooks show # the embedded service',
    'read -rs SVC_SESSION && export SVC_SESSION && svc webhooks show # paste the Cookie header; it is not shown',
  ],
  endpoints: ['webhooks.get'],
});

export const setWebhook = command('set', 'set the notification addresses', {
  columns: ['name', 'value'],
  description:
    'Set the addresses that are notified when a media job ends or the balance is low. An address that is not given keeps its value. Like `svc webhooks show`, this needs a session of the web cabinet in SVC_SESSION.',
  options: {
    media: text('URL|none', 'the https address for ended media jobs; none removes it'),
    balance: text('URL|none', 'the https address for a low balance; none removes it'),
  },
  examples: [
    'svc webhooks set --media https://example.com/jobs # the other address stays',
    'svc webhooks set --media none --balance none # no notifications',
  ],
  endpoints: ['webhooks.set', 'webhooks.get'],
});

const webhookVerbs = [showWebhooks, setWebhook];
export const webhooks = group('Account', 'webhooks', 'the notification addresses', webhookVerbs);

export const login = command('login', 'store a base URL and a key', {
  heading: 'Account',
  description:
    'Ask for the base URL and the key, verify the key with a request, and store both in a profile. The key is typed hidden or read from stdin, never given as an argument. It is kept in a file that only you can read; with --store keychain, in the keychain of the system; with --store command, it is not kept: svc runs the command in the setting key_command to get it. Storing it elsewhere removes the old copy. On a terminal, svc asks again after a wrong key, and then offers default models for each kind that has several, the cheapest first; Esc skips them.',
  options: {
    withKey: flag('read the key from stdin'),
    store: text('STORE', 'where the key is kept: keychain, file, or command, which prints it', {
      choices: ['keychain', 'file', 'command'],
    }),
    verify: flag('store the key without verifying it', { negated: true }),
  },
  examples: [
    'svc login # asks for both',
    'svc login --with-key --base-url https://api.example.com < key.txt # no questions',
    'svc login --profile work # a second account',
    'svc login --store keychain # store the key in the keychain',
  ],
  conflicts: [['--with-key', '--store command']],
  endpoints: ['billing.balance', 'models.list', 'media.catalog', 'models.pricing'],
});

export const init = command('init', 'set svc up: log in, choose default models, ask a question', {
  heading: 'Account',
  description:
    'Run `svc login`, which offers default models, then offer to ask a first question. svc shows its price before it spends anything. Run it again at any time: it asks for the key only if there is none, and offers the models again.',
  examples: ['svc init # the first run', 'svc --local init # offline, no account'],
  endpoints: ['billing.balance', 'models.list', 'media.catalog', 'models.pricing', 'chat.create'],
});

export const logout = command('logout', 'remove the stored key', {
  heading: 'Account',
  description:
    'Remove the key of the profile from wherever it is kept, and the setting key_command. The other settings stay.',
  options: { all: flag('remove the keys of all profiles') },
  examples: ['svc logout # the current profile', 'svc logout --all # every stored key'],
});

export const whoami = command('whoami', 'show the current profile and key, and verify them', {
  columns: ['name', 'value', 'source'],
  heading: 'Account',
  examples: [
    'svc whoami # the settings in effect and their sources',
    'svc whoami --json | jq -r .baseUrl # for a script',
  ],
  endpoints: ['billing.balance'],
});
