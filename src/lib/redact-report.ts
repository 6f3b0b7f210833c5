/** Takes out of a report whatever is nobody's business: more than `redact`, for people read it. */
import { redact } from './redact.js';

const secretName =
  '(?:api[_-]?key|access[_-]?key|secret|(?<!max[_-])token(?!s)|passw(?:or)?d|passphrase|pwd|credential|signature|session)';

/** What is replaced by what, in this order. */
const rules: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, '[key]'],
  [/\b((?:proxy-)?authorization["']?\s*[:=]\s*["']?)(?!\[)[^\r\n"']+/gi, '$1[key]'],
  [/\b((?:set-)?cookie2?["']?\s*[:=]\s*["']?)[^\r\n"']+/gi, '$1[cookie]'],
  // Keys of this service and of others, as they begin.
  [/\bsk(?:[-_]|%2d)[\w%-]{6,}/gi, '[key]'],
  [/\bwhsec_[\w+/=-]+/g, '[key]'],
  [/\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|[rp]k_(?:live|test)_)[\w-]{6,}/g, '[key]'],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g, '[key]'],
  [/\beyJ[\w-]{6,}\.[\w-]+(?:\.[\w-]*)?/g, '[key]'],
  // Who somebody is, and with what word, before the @ of an address.
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/?#"'<>]*@/gi, '$1[user]@'],
  [/(?<![\w/])[\w.%+-]+:[^\s@/"'<>]+@(?=[\w[])/g, '[user]@'],
  [
    /([?&;](?:[\w.%-]*(?:sig|key|auth|token|secret|password)[\w.%-]*|x-amz-[\w-]+)=)[^&\s"'#<>]+/gi,
    '$1[secret]',
  ],
  [
    new RegExp(`(--?[\\w-]*${secretName}[\\w-]*(?:\\s+|=))(?!\\[)["']?[^\\s"']+`, 'gi'),
    '$1[secret]',
  ],
  [
    new RegExp(
      `([\\w-]*${secretName}[\\w-]*\\\\?["']?\\s*[:=]\\s*\\\\?["']?)(?!\\[)[^\\s"'&;,#\\\\]+`,
      'gi',
    ),
    '$1[secret]',
  ],
  [
    /(?:"[^"\r\n@]{1,64}"|[\p{L}\p{N}._%+'-]+)(?:@|%40)[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu,
    '[e-mail]',
  ],
];

const homes: readonly RegExp[] = [
  /(?:\/[\w.-]+)*?\/(?:home|Users)\/[^/\s"'<>:;,)]+/g,
  /\b[a-z]:(?:\\{1,2}|\/)Users(?:\\{1,2}|\/)[^\\/\s"'<>:;,)]+/gi,
  /(?<![\w./-])\/root(?![\w.-])/g,
];

/**
 * A text without keys, signatures, passwords, cookies, e-mail addresses and home folders.
 * @param folders the home folders of this machine; those of usual systems are known anyway.
 */
export function redactReport(text: string, folders: readonly string[]): string {
  const clean = rules.reduce(
    (sum, [pattern, replacement]) => sum.replace(pattern, replacement),
    withoutHomes(redact(text), folders),
  );
  return homes.reduce((sum, pattern) => sum.replace(pattern, '~'), clean);
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
