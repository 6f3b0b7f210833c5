import { command, group, flag, integer, text, under, type Loaded } from '../../cli/declaration.js';
import { historyPage } from '../../contract/limits.js';

const range = under('Time range', {
  since: text(
    'WHEN',
    'from then on: 7d, 24h, 2026-11-01, 2026-11 or a time; days are those of UTC',
  ),
  until: text('WHEN', 'up to then; a day or a month to its end'),
});

export const list = command('list', 'list what was charged, newest first', {
  description:
    'List usage records, newest first. With --all every page is followed and written as it comes, so any number of records takes little memory; what is charged meanwhile is left for the next time, and nothing comes twice. With --all --json, `complete` says at the end whether that is all of them. With --csv a text that a spreadsheet would take for a formula begins with an apostrophe.',
  options: {
    ...range,
    ...under('Pages', {
      all: flag('every page, as a stream'),
      page: integer('N', 'which page', { min: 1, default: '1' }),
      limit: integer('N', `records a page; with --all ${historyPage.max} unless given`, {
        min: 1,
        max: historyPage.max,
        default: String(historyPage.default),
      }),
    }),
    csv: flag('print CSV with a line of titles (RFC 4180)', { heading: 'Output' }),
  },
  examples: [
    'svc usage list --limit 5 # the last five calls and their prices',
    'svc usage list --all --since 2026-11 --csv > november.csv # for a spreadsheet',
    "svc usage list --all --since 7d --json | jq '[.data[].priceRub] | add' # what a week cost",
  ],
  endpoints: ['billing.history'],
  conflicts: [
    ['--csv', '--json'],
    ['--all', '--page'],
  ],
  load: (): Promise<Loaded> => import('./usage.js').then(({ list }) => ({ run: list })),
});

export const show = command('show', 'show one usage record', {
  args: [
    {
      name: 'id',
      summary: 'from `svc usage list`, or ids.generation-id of --json',
      required: true,
    },
  ],
  endpoints: ['billing.record'],
  load: (): Promise<Loaded> => import('./usage.js').then(({ show }) => ({ run: show })),
});

export const keys = command('keys', 'show what each key has used', {
  examples: ['svc usage keys --json # all that the service tells'],
  endpoints: ['billing.usageByKey'],
  load: (): Promise<Loaded> => import('./usage.js').then(({ keys }) => ({ run: keys })),
});

export const defaultSince = '30d';
export const chartSums = ['day', 'model'] as const;

export const chart = command('chart', 'show cost, calls and tokens by day or by model', {
  description:
    'Add up what was charged, by day or by model, and show cost, calls and tokens: as bars on a terminal; a pipe gets a line for each with name, cost, calls, tokens in and tokens out, parted by tabs. Money that was given back counts against the cost.',
  options: {
    ...range,
    since: { ...range.since, default: defaultSince },
    by: text('WHAT', 'what a row stands for', { choices: chartSums, default: chartSums[0] }),
  },
  examples: [
    'svc usage chart # the last thirty days',
    'svc usage chart --by model --since 2026-11 # where the money went',
  ],
  endpoints: ['billing.history'],
  load: (): Promise<Loaded> => import('./usage.js').then(({ chart }) => ({ run: chart })),
});

export const usage = group('Account', 'usage', 'what calls cost', [list, show, keys, chart]);
