/** Who somebody is: names in addresses, of mail and of files. */
import { rule, type Rule } from './redact-rule.js';

/** Who somebody is, and by what word, before the @ of an address. */
const users: readonly Rule[] = [
  [/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#"'<>]*@/gi, '$1[user]@'],
  // A password may hold what ends the name of a host; a port is none.
  [
    /\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/:@?#"'<>]{0,100}:(?!\d{1,5}(?:[/?#"'\s]|$))[^\s<>]{1,200}@(?=[\w[])/gi,
    '$1[user]@',
  ],
  [/(?<!\w)(?!mailto:|\d+:)[\w.%+-]{1,64}:[^\s@/"'<>]{1,100}@(?=[\w[])/g, '[user]@'],
  [/(\b(?:thin:|oci:|sqlplus\s+))[^\s@/]{1,100}\/[^\s@]{1,100}@/g, '$1[user]@'],
  [
    /((?<![\w-])(?:-[uU]|--(?:proxy-)?user)[ =]?)(?:"[^":%]{1,64}[:%][^"\r\n]+|'[^':%]{1,64}[:%][^'\r\n]+|[^\s:%"']{1,64}[:%][^\s"']+)/g,
    '$1[user]',
  ],
];

const who = String.raw`(?:"[^"\r\n@]{1,64}"|[\p{L}\p{N}._%+'-]{1,64})`;
const label = String.raw`[\p{L}\p{N}-]{1,63}`;
const top = String.raw`\p{L}[\p{L}\p{N}-]{1,62}`;
const written = (signs: string) => {
  const sign = String.raw`\s?(?:${signs})\s?`;
  const pairs = [
    String.raw`\(${sign}\)`,
    String.raw`\[${sign}\]`,
    String.raw`\{${sign}\}`,
    `<${sign}>`,
    `⟨${sign}⟩`,
    String.raw`\|(?:${signs})\|`,
    String.raw`\*(?:${signs})\*`,
  ];
  return String.raw`\s?(?:${pairs.join('|')})\s?`;
};
const spokenDot = String.raw`(?:[\s_-](?:dot|punkt|точка)[\s_-]|${written(String.raw`dot|punkt|точка|\.`)})`;
const dot = String.raw`(?:\.|${spokenDot})`;

const mail: readonly Rule[] = [
  rule(
    String.raw`${who}(?:@|%40|\s@\s)(?:(?:${label}${dot}){1,8}${top}|\[[\d.:a-f]{3,45}\]|(?:\d{1,3}\.){3}\d{1,3}|localhost\b)`,
    'giu',
    '[e-mail]',
  ),
  rule(
    String.raw`${who}${written('at|@|ät|собака')}${label}(?:${dot}${label}){0,8}`,
    'giu',
    '[e-mail]',
  ),
  rule(
    String.raw`${who}[\s_-]{1,3}(?:at|собака)[\s_-]{1,3}(?:${label}${spokenDot}){1,8}${top}`,
    'giu',
    '[e-mail]',
  ),
];

const name = String.raw`(?:(?:[^\\/"'<>:;,)%\r\n]|%20){1,64}(?=[\\/]|%5c|%2f)|(?:%20|[^\\/\s"'<>:;,)%])+)`;
const folders = '(?:home|Users|Documents and Settings)';
const slash = String.raw`(?:\\{1,8}|\/|%5c|%2f)`;

const homes: readonly Rule[] = [
  // A name may have blanks in it, where quotes say so, or the path goes on.
  [/(?<=["'\x60])((?:\/[\w.-]{1,64}){0,4}?\/(?:home|Users)\/)[^/"'\x60\r\n]{1,64}(?=\/)/g, '~'],
  [/(?:\/[\w.-]{1,64}){0,4}?\/(?:home|Users)\/(?:\\ |[^/\\\s"'<>:;,)])+/g, '~'],
  [/(?:\/(?:mnt|cygdrive))?\/[a-z]\/users\/[^/\\\s"'<>:;,)]+/gi, '~'],
  rule(String.raw`\b[a-z](?::|%3a)${slash}${folders}${slash}${name}`, 'gi', '~'),
  rule(String.raw`(?:\\{1,8}|%5c|%2f)${folders}${slash}${name}`, 'gi', '~'),
  [
    /(?<![\w.])\/(?:(?:run\/)?media|var\/(?:mail|spool\/(?:mail|cron(?:\/crontabs)?)))\/[^/\s"'<>:;,)]+/g,
    '~',
  ],
  // "~half of it" goes on in words.
  [/(?<![\w./~-])~[\w.-]+(?=\/)/g, '~'],
  [/(?<![\w./~-])~[a-z_][\w-]{2,31}(?![\w.-])(?!\s+\p{L})/giu, '~'],
  [/(?<![\w./-])\/root(?![\w.-])/g, '~'],
];

export const peopleRules: readonly Rule[] = [...users, ...mail];
export const homeRules: readonly Rule[] = homes;
