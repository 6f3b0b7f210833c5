import type { PriceWords } from '../../api/model-facts.js';

/** What services name, by its English word; others stay as they are. */
const parts: Readonly<Record<string, string>> = { in: 'вход', out: 'выход', from: 'от' };

const units: Readonly<Record<string, string>> = {
  '1M tokens': 'млн токенов',
  '1K tokens': 'тыс. токенов',
  character: 'символ',
  image: 'изображение',
  minute: 'мин',
  request: 'запрос',
  second: 'с',
};

export const prices: PriceWords = {
  amount: (number, what) => `${parts[what] ?? what} ${number}`.trimStart(),
  inRub: (amounts, unit) =>
    `${amounts}\u00a0₽${unit === undefined ? '' : `/${units[unit] ?? unit}`}`,
};
