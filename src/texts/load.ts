import type { Language } from '../lib/language.js';
import type { ScreenView } from '../terminal/types.js';
import type { Texts } from './texts.js';

/** @returns that of what stands on stdout: English in a pipe and in JSON, which programs read */
export function languageOnScreen({
  flags,
  out,
}: {
  readonly flags: { readonly json: boolean };
  readonly out: Pick<ScreenView, 'isTerminal' | 'language'>;
}): Language {
  return out.isTerminal && !flags.json ? out.language : 'en';
}

/** @returns the texts of a language, of which only that one is loaded */
export async function textsIn(language: Language): Promise<Texts> {
  return language === 'ru'
    ? (await import('./ru/index.js')).ru
    : (await import('./en/index.js')).en;
}
