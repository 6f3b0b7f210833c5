import { command } from '../../command.js';

export const budget = command('budget', 'show what is left of the budget', {
  heading: 'Account',
  description:
    'Shows what counts against the budgets of this account on this machine today and this month: what requests sent under a budget have cost (`svc usage chart` shows all charges), what is reserved for requests whose price is not known yet, and what is left. The setting budget_day or budget_month sets a budget; SVC_BUDGET replaces budget_day. A request that may exceed a budget is not sent (exit code 5).',
  examples: [
    'svc config set budget_day 100 # at most 100 RUB a day',
    'svc budget # counted, reserved and left',
    'svc budget --json | jq .day.leftRub # for a script',
  ],
  endpoints: ['billing.history', 'billing.record'],
});
