/** What the code of an error means, in the reader's language; loaded when that is not English. */
import { errorCodes, isErrorCode } from '../error-codes.js';
import { SvcError } from '../errors.js';
import type { Language } from '../lib/language.js';
import { textsIn } from './load.js';

export interface Explanation {
  /** Stands before the words, as `error:` before a message. */
  readonly label: string;
  /** The meaning and the next step, in one sentence. */
  readonly words: string;
  /** Whether the hint would only say the next step again. */
  readonly isHintSaid: boolean;
}

/** All but articles, prepositions and the like. */
const tellingWords = (text: string) => text.match(/[\p{L}\p{N}_-]{4,}|\p{N}+/gu) ?? [];

/** @returns undefined for the codes of the service, which svc does not know */
export async function explanationOf(
  error: unknown,
  language: Language,
): Promise<Explanation | undefined> {
  const { code = '', hint = '' } = error instanceof SvcError ? error : { code: 'bug' };
  if (!isErrorCode(code)) return undefined;
  const { errors } = await textsIn(language);
  const { meaning, next } = errors.words(code);
  // Of a hint that is more precise than the English of the code, no word must be lost.
  const [, ...english] = errorCodes[code];
  const said = new Set(tellingWords(english.join(' ')));
  const isHintSaid = tellingWords(hint).every((word) => said.has(word));
  return { label: errors.label, words: `${meaning}; ${next}`, isHintSaid };
}
