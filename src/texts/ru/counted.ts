import { grouped } from '../../lib/amounts.js';

const rules = new Intl.PluralRules('ru');

/** `1 задание`, `2 задания`, `1 000 заданий`. */
export function counted(count: number, forms: readonly [one: string, few: string, many: string]) {
  const [one, few, many] = forms;
  const form = { zero: many, one, two: few, few, many, other: few };
  return `${grouped(count, 'ru')} ${form[rules.select(count)]}`;
}
