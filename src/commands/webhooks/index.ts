import { command, text, type Loaded } from '../../cli/declaration.js';

export const show = command({
  name: 'show',
  summary: 'show where notifications go',
  description:
    "Show the account's notification addresses. This is for a session of the web cabinet; a key is not enough: log in to the cabinet in a browser, copy the Cookie header of one of its requests, and set it as SVC_SESSION. With --local there is a session already.",
  examples: [
    { command: 'svc --local webhooks show', note: 'of the embedded service' },
    {
      command: 'read -rs SVC_SESSION && export SVC_SESSION && svc webhooks show',
      note: 'paste the Cookie header, unseen',
    },
  ],
  endpoints: ['webhooks.get'],
  load: (): Promise<Loaded> => import('./show.js'),
});

export const set = command({
  name: 'set',
  summary: 'set where notifications go',
  description:
    'Set where the account is told that a media job has ended, or that the balance runs low. Both addresses are sent: one that is not named stays as it is. Like `svc webhooks show` this is for a session of the web cabinet, in SVC_SESSION.',
  options: {
    media: text('URL|none', 'where the end of a media job is told (https); none takes it away'),
    balance: text('URL|none', 'where a low balance is told (https); none takes it away'),
  },
  examples: [
    {
      command: 'svc webhooks set --media https://example.com/jobs',
      note: 'jobs; the other address stays',
    },
    { command: 'svc webhooks set --media none --balance none', note: 'no notifications' },
  ],
  endpoints: ['webhooks.set', 'webhooks.get'],
  load: (): Promise<Loaded> => import('./set.js'),
  dryRun: (): Promise<Loaded> => import('./set.js').then(({ dryRun }) => ({ run: dryRun })),
});

export const webhooks = {
  name: 'webhooks',
  heading: 'Account',
  summary: 'where notifications go',
  commands: [show, set],
} as const;
