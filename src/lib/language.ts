/** The languages in which svc writes to people; commands, flags, JSON, codes and logs are English. */
import { type Env, localeOf } from './env.js';

const languages = ['en', 'ru'] as const;
export type Language = (typeof languages)[number];

/** That of a setting or a locale, such as `ru` and `ru_RU.UTF-8`; undefined for any other. */
export function languageOf(locale: string): Language | undefined {
  return languages.find((one) => new RegExp(`^${one}(?:[-_.@]|$)`, 'i').test(locale));
}

/** That of the system's messages; English where svc has no texts in it. */
export function systemLanguage(env: Env): Language {
  return languageOf(localeOf(env, 'LC_MESSAGES') ?? '') ?? 'en';
}
