/** What the code of an error means, in the reader's language; loaded when that is not English. */
import { usualHints } from '../api/failure.js';
import { errorCodes, isErrorCode } from '../error-codes.js';
import { reasonCode } from '../files/file-trouble.js';
import { ApiError, isRefusal, SvcError } from '../errors.js';
import { exits } from '../exit-codes.js';
import { codeOf } from '../lib/error-code.js';
import type { Language } from '../lib/language.js';
import type { ErrorTexts, RefusalStatus } from './errors.js';
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

/** @returns undefined for a command of a session, of which no --help says more */
export async function explanationOf(
  error: unknown,
  language: Language,
): Promise<Explanation | undefined> {
  const { code, hint = '' } = error instanceof SvcError ? error : {};
  if (code === 'usage' && !hint.includes('svc ')) return undefined;
  const { errors, login } = await textsIn(language);
  const { label } = errors;
  if (error instanceof ApiError) {
    const english = (await textsIn('en')).login.refusals;
    for (const command of ['login', 'whoami'] as const) {
      const words = login.refusals[command][error.status];
      if (words && hint === english[command][error.status])
        return { label, words, isHintSaid: true };
    }
  }
  const [words, english] = wordsFor(error, errors);
  // A hint that says more than the English of the words must not be lost.
  const said = new Set(tellingWords(english.join(' ')));
  const isHintSaid = code !== 'usage' && tellingWords(hint).every((word) => said.has(word));
  return { label, words: words.join('; '), isHintSaid };
}

const refusals: readonly RefusalStatus[] = [401, 402, 403];

/** Found by the code; where only the service knows that, by its status, and else by the exit code. */
function wordsFor(
  error: unknown,
  { exit, fileReason, refusal, words }: ErrorTexts,
): readonly [own: readonly string[], english: readonly string[]] {
  const { code = '', exit: name, hint } = error instanceof SvcError ? error : bug;
  const known = hint === usualHints[404] ? 'unknown_model' : code;
  const status = refusals.find((one) => isRefusal(error, one));
  if (status !== undefined && (known === 'refused' || !isErrorCode(known))) {
    const { meaning, next } = refusal(status);
    return [[meaning, next], [usualHints[status]]];
  }
  if (!isErrorCode(known)) return [[exit(name)], [exits[name][1]]];
  const { meaning, next } = words(known);
  const reason = known === 'local_file' && fileReason(reasonCode(codeOf(causeOf(error)) ?? ''));
  if (reason) return [[`${meaning}: ${reason}`], []];
  const [, ...english] = errorCodes[known];
  return [[meaning, next], english];
}

/** What the system said, below what svc made of it. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? causeOf(error.cause) : error;
}

const bug = { code: 'bug', exit: 'bug', hint: '' } as const;
