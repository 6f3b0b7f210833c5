import { command, firstOnes, group, flag, integer, text, under } from '../../command.js';
import { historyPage } from '../../contract/limits.js';

const range = under('Time range', {
  since: text.moment('start: yesterday,'),
  until: text('WHEN', 'end; a day or a month is included to its end'),
});

export const list = command('list', 'list charges, newest first', {
  columns: ['time', 'model', 'in', 'out', 'price', 'id'],
  description:
    'List usage records, newest first. --all follows every page and writes records as they arrive, without repeating any; charges made in the meantime are not included. With --all --json, the last field, `complete`, says whether the list is complete. With --csv, text that a spreadsheet would treat as a formula starts with an apostrophe.',
  options: {
    ...range,
    ...under('Pages', {
      all: flag('every page, as it arrives'),
      page: integer('N', 'page number', { min: 1, default: '1' }),
      limit: integer('N', `records per page; ${historyPage.max} with --all`, {
        min: 1,
        max: historyPage.max,
        default: String(historyPage.default),
      }),
    }),
    csv: flag('print CSV with a header line (RFC 4180)', { heading: 'Output' }),
  },
  examples: [
    'svc usage list --limit 5 # the last five calls and their prices',
    'svc usage list --all --since 2026-11 --csv > november.csv # for a spreadsheet',
    "svc usage list --all --since 7d --json | jq '[.data[].priceRub] | add' # the cost of a week",
  ],
  endpoints: ['billing.history'],
  conflicts: [
    ['--csv', '--json'],
    ['--all', '--page'],
  ],
});

export const show = command('show', 'show one usage record', {
  columns: ['name', 'value'],
  args: [
    {
      name: 'id',
      summary: 'an id from `svc usage list`, or ids.generationId from --json',
      required: true,
    },
  ],
  endpoints: ['billing.record'],
});

export const keyUsageColumns =
  'key model variant model_id requests prompt_tokens completion_tokens price'.split(' ');

export const keys = command('keys', 'show the usage of each key', {
  columns: keyUsageColumns,
  options: firstOnes,
  examples: ['svc usage keys --json # every field of the service'],
  endpoints: ['billing.usageByKey'],
});

export const defaultSince = '30d';
export const chartSums = ['day', 'model'] as const;

export const chart = command('chart', 'show cost, calls and tokens by day or by model', {
  columns: ['day', 'cost', 'calls', 'in', 'out'],
  description:
    'Add up charges by day or by model and show cost, calls and tokens, with bars for the cost on a terminal. Refunds reduce the cost. The total is of all rows, also with --limit.',
  options: {
    ...range,
    since: { ...range.since, default: defaultSince },
    by: text('WHAT', 'what each row adds up', { choices: chartSums, default: chartSums[0] }),
    ...firstOnes,
  },
  examples: [
    'svc usage chart # the last 30 days',
    'svc usage chart --by model --since 2026-11 # where the money went',
  ],
  endpoints: ['billing.history'],
});

export const usage = group('Account', 'usage', 'charges by call, key, day and model', [
  list,
  show,
  keys,
  chart,
]);
