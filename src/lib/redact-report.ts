/** Takes out of a report whatever is nobody's business: more than `redact`, for people read it. */
import { redact } from './redact.js';

const secretName =
  '(?:api[_ -]?key|access[_-]?key|private[_-]?key|account[_-]?key|secret|(?<!max[_-])token(?!s)|passw(?:or)?d|passphrase|pwd|credential|signature|session|jwt|csrf|otp|пароль|токен)';

/** What an earlier rule has left. */
const done = String.raw`(?!\s*\[(?:key|sig|secret|cookie|user|data|e-mail)\])`;

/** The bracket of a list, not of what an earlier rule has left. */
const bracket = String.raw`(?:${done}\[\s*)?`;

/** What follows is no word of a language: it is long enough, and has a digit. */
const opaque = String.raw`(?=[^\s"'&;,<>]{8})(?=[^\s"'&;,<>]{0,200}\d)`;

function rule(pattern: string, flags: string, replacement: string) {
  return [new RegExp(pattern, flags), replacement] as const;
}

/**
 * What is replaced by what, in this order. Every repetition that could begin anywhere is bounded,
 * so that a long text takes no longer than it must.
 */
const rules: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [
    /-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----[^]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
    '[key]',
  ],
  [/\b((?:proxy-)?authorization\s*:\s*digest)\b[^\r\n]+/gi, '$1 [key]'],
  rule(
    String.raw`\b((?:proxy-)?authorization["']?\s*[:=,]\s*${bracket}["']?)${done}[^\r\n"']+`,
    'gi',
    '$1[key]',
  ),
  rule(String.raw`\b((?:set-)?cookie2?["']?\s*[:=]\s*)${done}\[[^\]\r\n]+\]`, 'gi', '$1[cookie]'),
  rule(String.raw`\b((?:set-)?cookie2?["']?\s*[:=]\s*["']?)${done}[^\r\n"']+`, 'gi', '$1[cookie]'),
  rule(String.raw`\b(bearer(?:\s+|:\s*))${done}${opaque}[^\s"',]+`, 'gi', '$1[key]'),
  [/\b(basic\s+)(?=[\w+/=]{0,200}[\d=+])[\w+/=]{8,}/gi, '$1[key]'],
  [/\b(digest\s+username=)[^\r\n]+/gi, '$1[user]'],
  // Keys of this service and of others, as they begin.
  [/\bsk(?:[-_]|%2d)[\w%-]{6,}/gi, '[key]'],
  [/\bwhsec_[\w+/=-]+/g, '[key]'],
  [/\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|[rp]k_(?:live|test)_)[\w-]{6,}/g, '[key]'],
  [/\b(?:npm_|hf_|dop_v1_|dckr_pat_|pypi-|AIza|ya29\.|SG\.|AGE-SECRET-KEY-)[\w.-]{6,}/g, '[key]'],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g, '[key]'],
  [/\beyJ[\w-]{6,}\.[\w-]+(?:\.[\w-]*)?/g, '[key]'],
  [/(;base64,)[\w+/=%-]+/g, '$1[data]'],
  // Addresses that are keys themselves.
  [/\b(hooks\.slack\.com\/|\/api\/webhooks\/|\/bot(?=\d{5,}:))[^\s"'<>]+/g, '$1[secret]'],
  // Who somebody is, and by what word, before the @ of an address.
  [/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#"'<>]*@/gi, '$1[user]@'],
  [/(?<![\w/])[\w.%+-]{1,64}:[^\s@/"'<>]{1,100}@(?=[\w[])/g, '[user]@'],
  [/((?<!\S)(?:-u|--user)[ =]["']?)[^\s:"']{1,64}:[^\s"']+/g, '$1[user]'],
  [
    /(?:"[^"\r\n@]{1,64}"|[\p{L}\p{N}._%+'-]{1,64})(?:@|%40|&#64;|\\u0040)(?:(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}[\p{L}\p{N}-]{1,62}|\[[\d.:a-f]{3,45}\]|localhost\b)/giu,
    '[e-mail]',
  ],
  rule(
    String.raw`((?:[?&;]|%3f|%26)(?:[\w.%-]{0,40}(?:sig|key|auth|token|secret|password)[\w.%-]{0,40}|x-amz-[\w-]{1,40})(?:=|%3d))${done}(?:(?!%26)[^&\s"'#<>])+`,
    'gi',
    '$1[secret]',
  ),
  rule(String.raw`(\bsig(?:=|%3d))${done}(?:(?!%26)[^&\s"'#<>\\])+`, 'gi', '$1[secret]'),
  // Whatever its name: links have no other place for a key.
  rule(String.raw`([?&][\w.%-]{1,80}=)${done}${opaque}[^&\s"'#<>]+`, 'gi', '$1[secret]'),
  rule(
    String.raw`(--?[\w-]{0,40}${secretName}[\w-]{0,40}(?:\s+|=))${done}["']?(?:(?<=")[^"\r\n]+|(?<=')[^'\r\n]+|[^\s"']+)`,
    'gi',
    '$1[secret]',
  ),
  rule(String.raw`(<[\w:-]{0,40}${secretName}[\w-]{0,40}>)[^<]+`, 'gi', '$1[secret]'),
  ...named(secretName, done),
  // A name that says less: only before what looks like a key.
  ...named(String.raw`(?<![a-z])(?:auth|key)(?![a-z])`, `${done}(?=\\\\?["']?${opaque})`),
  rule(String.raw`(${secretName}(?:\s+is)?\s+)${done}${opaque}[^\s"'&;,<>]+`, 'gi', '$1[secret]'),
  // Letters of both cases and digits at random, but for the ids that support asks for.
  [
    /(?<![\w+=-])(?!(?:req|gen|job|msg|resp|run|chatcmpl|ticket|tmsg|att)[_-])(?=[\w+=-]{0,200}[a-z])(?=[\w+=-]{0,200}[A-Z])(?=[\w+=-]{0,200}\d)[\w+=-]{24,}/g,
    '[key]',
  ],
];

/** What a name is given: `name: value`, `"name": "value"`, `name => [value]`, `["name", "value"]`. */
function named(name: string, unless: string) {
  const start = String.raw`([\w-]{0,40}${name}[\w-]{0,40}`;
  return [
    rule(
      String.raw`${start}\\?["']?\s*(?:[:=]>?|->)\s*${bracket}\\?b?["']?)${unless}(?:(?<=["'])[^\r\n"'\\]+|(?<!["'])[^\s"'&;,#\\<>]+)`,
      'gi',
      '$1[secret]',
    ),
    rule(String.raw`${start}\\?["']\s*,\s*\\?["'])${unless}[^\r\n"'\\]+`, 'gi', '$1[secret]'),
  ];
}

const separator = String.raw`(?:\\{1,4}|/|%5c|%2f)`;

const homes: readonly RegExp[] = [
  /(?:\/[\w.-]{1,64}){0,4}?\/(?:home|Users)\/[^/\s"'<>:;,)]+/g,
  // A name there may have blanks in it, where the path goes on.
  new RegExp(
    String.raw`(?:\b[a-z](?::|%3a))?${separator}(?:(?<=[\\cf])home|Users|Documents and Settings)${separator}(?:[^\\/"'<>:;,)%\r\n]{1,64}(?=[\\/]|%5c)|[^\\/\s"'<>:;,)%]+)`,
    'gi',
  ),
  /(?<![\w./~-])~[\w.-]+(?=\/)/g,
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
