import type { Language } from '../lib/language.js';
import type { Texts } from './texts.js';

/** @returns the texts of a language, of which only that one is loaded */
export async function textsIn(language: Language): Promise<Texts> {
  return language === 'ru'
    ? (await import('./ru/index.js')).ru
    : (await import('./en/index.js')).en;
}
