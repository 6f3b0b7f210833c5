/** Takes out of a report whatever is nobody's business: more than `redact`, for people read it. */
import { redact } from './redact.js';

const secretName =
  '(?:api[_-]?key|access[_-]?key|secret|(?<!max[_-])token(?!s)|passw(?:or)?d|passphrase|pwd|credential|signature|session)';

/** What an earlier rule has left. */
const done = String.raw`(?!\s*\[(?:key|sig|secret|cookie|user)\])`;

function rule(pattern: string, flags: string, replacement: string) {
  return [new RegExp(pattern, flags), replacement] as const;
}

/**
 * What is replaced by what, in this order. Every repetition that could begin anywhere is bounded,
 * so that a long text takes no longer than it must.
 */
const rules: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
    '[key]',
  ],
  rule(
    String.raw`\b((?:proxy-)?authorization["']?\s*[:=]\s*["']?)${done}[^\r\n"']+`,
    'gi',
    '$1[key]',
  ),
  rule(String.raw`\b((?:set-)?cookie2?["']?\s*[:=]\s*["']?)${done}[^\r\n"']+`, 'gi', '$1[cookie]'),
  // Keys of this service and of others, as they begin.
  [/\bsk(?:[-_]|%2d)[\w%-]{6,}/gi, '[key]'],
  [/\bwhsec_[\w+/=-]+/g, '[key]'],
  [/\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|[rp]k_(?:live|test)_)[\w-]{6,}/g, '[key]'],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g, '[key]'],
  [/\beyJ[\w-]{6,}\.[\w-]+(?:\.[\w-]*)?/g, '[key]'],
  // Who somebody is, and by what word, before the @ of an address.
  [/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#"'<>]*@/gi, '$1[user]@'],
  [/(?<![\w/])[\w.%+-]{1,64}:[^\s@/"'<>]{1,100}@(?=[\w[])/g, '[user]@'],
  rule(
    String.raw`([?&;](?:[\w.%-]{0,40}(?:sig|key|auth|token|secret|password)[\w.%-]{0,40}|x-amz-[\w-]{1,40})=)${done}[^&\s"'#<>]+`,
    'gi',
    '$1[secret]',
  ),
  rule(
    String.raw`(--?[\w-]{0,40}${secretName}[\w-]{0,40}(?:\s+|=))${done}["']?[^\s"']+`,
    'gi',
    '$1[secret]',
  ),
  rule(
    String.raw`([\w-]{0,40}${secretName}[\w-]{0,40}\\?["']?\s*[:=]\s*\\?["']?)${done}[^\s"'&;,#\\]+`,
    'gi',
    '$1[secret]',
  ),
  [
    /(?:"[^"\r\n@]{1,64}"|[\p{L}\p{N}._%+'-]{1,64})(?:@|%40)(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}[\p{L}\p{N}-]{1,62}/gu,
    '[e-mail]',
  ],
];

const homes: readonly RegExp[] = [
  /(?:\/[\w.-]{1,64}){0,4}?\/(?:home|Users)\/[^/\s"'<>:;,)]+/g,
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
