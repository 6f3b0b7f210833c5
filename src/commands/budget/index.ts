import { command, group } from '../../command.js';

export const list = command('list', 'show what is charged, reserved and left', {
  columns: ['period', 'charged', 'reserved', 'left', 'of', 'resets'],
  description:
    'Show what was charged today and this month, in your time zone, by the usage history of the service, what is reserved for requests whose price is not known yet, and what is left of the budget. What was charged without a budget, or on another machine, does not count against it. A request that may exceed a budget is not sent (exit code 5).',
  examples: [
    'svc budget # charged, reserved and left',
    'svc budget --json | jq .day.leftRub # for a script',
  ],
  endpoints: ['billing.history', 'billing.record'],
});

export const set = command('set', 'set or remove the budget of a day or a month', {
  description:
    'Set what all commands of this account on this machine may spend in a day or a calendar month; off removes the limit. It writes the setting budget_day or budget_month of the profile; SVC_BUDGET replaces budget_day.',
  args: [
    { name: 'period', summary: 'day or month', completes: ['day', 'month'] },
    { name: 'rub', summary: 'the amount in RUB, or off', completes: ['off'] },
  ],
  examples: [
    'svc budget set day 50 # at most 50 RUB a day',
    'svc budget set month 1000 # and 1000 RUB a month',
    'svc budget set day off # no daily budget',
  ],
});

export const budget = group('Account', 'budget', 'what may be spent in a day or a month', [
  list,
  set,
]);
