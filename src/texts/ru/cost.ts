import type { CostTexts } from '../cost.js';
import { counted } from './counted.js';

export const cost: CostTexts = {
  balance: (amount) => `баланс ${amount}`,
  budgetLeft: (amount) => `в бюджете осталось ${amount}`,
  cached: 'из кэша',
  search: (amount) => `поиск ${amount}`,
  tokens: (input, output) => `токены: вход ${input}, выход ${output}`,
  inputTokens: (count) => counted(count, ['токен', 'токена', 'токенов']),
  turns: (count) => counted(count, ['шаг', 'шага', 'шагов']),
  total: 'всего',
  atLeast: (amount) => `не меньше ${amount}`,
};
