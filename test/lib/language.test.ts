import { expect, test } from 'vitest';
import { formatRub, grouped } from '../../src/lib/amounts.js';
import { languageOf, systemLanguage } from '../../src/lib/language.js';

test('a language is read from a setting or a locale, and no other word is taken for one', () => {
  const locales = ['ru', 'RU', 'ru_RU.UTF-8', 'ru-RU', 'en_US', 'en'];
  expect(locales.map(languageOf)).toEqual(['ru', 'ru', 'ru', 'ru', 'en', 'en']);
  for (const other of ['', 'C', 'C.UTF-8', 'POSIX', 'rus', 'de_DE', 'english']) {
    expect(languageOf(other), other).toBeUndefined();
  }
});

test('the language of the system is that of its messages, or English', () => {
  const ru = 'ru_RU.UTF-8';
  expect(systemLanguage({ LC_MESSAGES: ru, LANG: 'C' })).toBe('ru');
  expect(systemLanguage({ LC_MESSAGES: 'C', LANG: ru })).toBe('en');
  expect(systemLanguage({ LANG: ru, LC_CTYPE: 'en_US' })).toBe('ru');
  expect(systemLanguage({ LC_ALL: 'de_DE', LC_MESSAGES: ru })).toBe('en');
  expect(systemLanguage({})).toBe('en');
});

test('Russian amounts have a comma before the kopecks, and keep all their digits', () => {
  const spaced = (text: string) => text.replaceAll('\u00a0', ' ');
  expect(spaced(formatRub(1_234_567.5, 'ru'))).toBe('1 234 567,50 ₽');
  expect(spaced(formatRub(-0.5, 'ru'))).toBe('-0,50 ₽');
  expect(formatRub(0.000_04, 'ru')).toBe('0,00004\u00a0₽');
  expect(formatRub(0.000_000_01, 'ru')).toBe('<0,000001\u00a0₽');
  expect(spaced(grouped(12_345, 'ru'))).toBe('12 345');
  expect(formatRub(1_234_567.5)).toBe('1,234,567.50 RUB');
});
