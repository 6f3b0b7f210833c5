import type { CostTexts } from '../cost.js';

export const cost: CostTexts = {
  balance: (amount) => `balance ${amount}`,
  budgetLeft: (amount) => `budget ${amount} left`,
  cached: 'cached',
  search: (amount) => `search ${amount}`,
  tokens: (input, output) => `${input} in, ${output} out tokens`,
  inputTokens: (count) => `${count} tokens`,
  turns: (count) => `${count} turns`,
  total: 'total',
  atLeast: (amount) => `at least ${amount}`,
};
