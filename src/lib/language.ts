/** The languages in which svc writes to people; commands, flags, JSON, codes and logs are English. */
import { type Env, localeOf } from './env.js';

const languages = ['en', 'ru'] as const;
export type Language = (typeof languages)[number];

/** What a setting or a locale means, such as `ru` and `ru_RU.UTF-8`; undefined for another language. */
export function languageOf(locale: string): Language | undefined {
  return languages.find((one) => new RegExp(`^${one}(?:[-_.@]|$)`, 'i').test(locale));
}

/** The language of the system's messages; English where svc has no texts in it, or writes other letters. */
export function systemLanguage(env: Env): Language {
  const locale = localeOf(env, 'LC_MESSAGES') ?? '';
  // All that svc writes is in UTF-8, which a terminal in KOI8-R does not read.
  const isRead = !/\.(?!utf-?8)/i.test(locale);
  return (isRead ? languageOf(locale) : undefined) ?? 'en';
}
