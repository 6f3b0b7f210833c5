/** Judges the id of a job that this machine does not know. */
import { mostJobIdCharacters } from '../contract/media.js';
import { UsageError } from '../errors.js';
import { plainText } from '../lib/plain-text.js';

/**
 * What an id can surely not be: it stands alone on a line, and in the path of a link to a result.
 * @throws UsageError that says why.
 */
export function demandId(text: string): void {
  const fault = faultOf(text);
  if (fault === undefined) return;
  throw new UsageError(fault, {
    code: 'invalid_id',
    hint: 'see which jobs there are: `svc jobs list --all`',
  });
}

function faultOf(text: string): string | undefined {
  if (text.trim() === '') return 'the id of the job is empty';
  const name = JSON.stringify(plainText(text, 60));
  if (text.length > mostJobIdCharacters) return `${name} is too long for the id of a job`;
  if (/^\.{1,2}$/.test(text)) return `${name} is no id of a job`;
  const [, kind] = kinds.find(([pattern]) => pattern.test(text)) ?? [];
  return kind === undefined ? undefined : `${name} is no id of a job: it holds ${kind}`;
}

const kinds = [
  [/[/\\]/, 'a slash'],
  [/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\ufffd]/u, 'a character that cannot be seen'],
  [/\s/, 'a blank'],
] as const;
