/** Takes out of a report whatever is nobody's business: more than `redact`, for people read it. */
import { redact } from './redact.js';
import { keyRules, lastRules } from './redact-keys.js';
import { nameRules } from './redact-names.js';
import { homeRules, peopleRules } from './redact-people.js';

/** Every repetition in them that could begin anywhere is bounded: a long text takes its time only. */
const rules = [...keyRules, ...peopleRules, ...nameRules, ...lastRules, ...homeRules];

/**
 * A text without keys, signatures, passwords, cookies, e-mail addresses and home folders.
 * @param folders the home folders of this machine; those of usual systems are known anyway.
 */
export function redactReport(text: string, folders: readonly string[]): string {
  const clean = (one: string) =>
    rules.reduce(
      (sum, [pattern, replacement]) => sum.replace(pattern, replacement),
      withoutHomes(redact(one), folders),
    );
  const plain = undisguised(text);
  const found = clean(plain);
  // As it stands where nothing hides: what looks odd may be meant so.
  return found === plain ? clean(text) : clean(found);
}

/** As it reads: without what is not to be seen, and with each sign written in the usual way. */
function undisguised(text: string): string {
  return (
    text
      .replace(/\u001b(?:\[[\d;:?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g, '')
      .replace(
        /[\p{Default_Ignorable_Code_Point}\p{Cf}\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/gu,
        '',
      )
      .replace(/[\uff01-\uff5e\u{1d400}-\u{1d7ff}]/gu, (sign) => sign.normalize('NFKC'))
      .replace(/[\u2010-\u2015\u2212\ufe58\ufe63]/g, '-')
      .replace(
        /\\u00([2-7][\da-f])|\\x([2-7][\da-f])|&#x([2-7][\da-f]);/gi,
        (_, ...codes: string[]) => String.fromCharCode(parseInt(codes.slice(0, 3).join(''), 16)),
      )
      .replace(/&#(\d{2,3});/g, (sign, code: string) =>
        Number(code) < 127 ? String.fromCharCode(Number(code)) : sign,
      )
      .replace(/&commat;/g, '@')
      .replace(/%(?:25)+(?=[\da-f]{2})/gi, '%')
      // Letters and digits say the same with or without it.
      .replace(/%([2-7][\da-f])/gi, (escape, code: string) => {
        const sign = String.fromCharCode(parseInt(code, 16));
        return /[\w.~-]/.test(sign) ? sign : escape;
      })
  );
}

/** A folder may stand in an address or in a text of JSON too. */
function withoutHomes(text: string, folders: readonly string[]): string {
  return folders
    .filter((folder) => folder.length > 1)
    .flatMap((folder) => [folder, encodeURI(folder), JSON.stringify(folder).slice(1, -1)])
    .sort((one, other) => other.length - one.length)
    .reduce((sum, folder) => replacedFolder(sum, folder), text);
}

/** `/home/me` is no part of `/home/melissa`. */
function replacedFolder(text: string, folder: string): string {
  const bare = folder.replace(/[/\\]+$/, '');
  if (bare === '') return text;
  const pattern = bare.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return text.replace(new RegExp(`${pattern}(?![\\p{L}\\p{N}_-])`, 'gu'), '~');
}
