/** Removes keys, passwords, cookies, e-mail addresses and home folders from a report. */
import { redact } from './redact.js';

/** Rules are written as gi`pattern => replacement`. */
const ruleWith =
  (flags: string) =>
  (parts: TemplateStringsArray, ...names: string[]) => {
    const [pattern = '', replacement = ''] = String.raw(parts, ...names).split(' => ');
    return { pattern: new RegExp(pattern, flags), replacement };
  };
const [g, gi, giu] = [ruleWith('g'), ruleWith('gi'), ruleWith('giu')];

const done = String.raw`(?!\s*[\\"'\x60]{0,9}\[(?:key|sig|secret|cookie|user|e-mail)\])`;

/** What follows is long enough and has a digit, so it is not an ordinary word. */
const opaque = String.raw`(?=[^\s"'&;,<>]{8})(?=[^\s"'&;,<>]{0,200}\d)`;

/** Words about a secret, in the place of the secret. */
const said = String.raw`(?!\s*(?:an?|and|are|argument|can|cannot|did|does|empty|expected|expired|false|flag|for|from|given|has|header|in|incorrect|invalid|is|limit|may|means|missing|must|needs?|no|none|not|null|of|option|or|refused|rejected|required|requires|run|see|set|should|takes?|that|the|this|to|too|true|undefined|unknown|unset|use|value|was|were|when|with|without|wrong|your?)(?![\w=-]))`;

/** Names of secrets, but not of numbers and types. */
const secretName = String.raw`[\w-]{0,40}(?:(?:api|access|private|account|encryption|signing|master|subscription|shared|client|secret|ssh)[_ -]?key|secret(?!ar)|(?<!max[_-])token(?!s|i[sz])|pass[ _-]?w(?:or)?[dt]|passphrase|passcode|pwd|kennwort|credential|signature|session|sessid|jwt|csrf|парол[ья]|секрет|токен)(?![_-]?(?:limit|count|type|length|size|timeout|ttl|name|expir\w{0,10}|policy|usage|budget|price|cost|window)s?(?![a-z]))[\w-]{0,40}`;
const given = String.raw`\\{0,7}["'\x60]?[\])]?\s*(?:[:=]>|[:?+=]=|->|[:=]|%3d|,(?=\s*["'][^"'\r\n]{1,200}["']?\s*(?:[\]),}]|$)))\s*(?:\[\s*(?=["']))?(?:b(?=["']))?`;
const quote = String.raw`(?<q>\\{0,7}["'\x60]|[«“‘])`;
/** Up to the same quote or the end of the line. A command of ours is not a secret. */
const quoted = String.raw`${quote}${done}(?!svc )(?:(?!\k<q>)(?:\\.|[^\r\n»”’]))+`;

/** In this order, each on the result of the last; every repetition is bounded. */
const rules = [
  g`-----BEGIN [A-Z\d ]{0,40}PRIVATE KEY[^]*?(?:-----END [A-Z\d ]{0,40}-----|$) => [key]`,
  gi`(?<![a-z])((?:proxy-)?authorization\\{0,7}["']?\s*[:=,]\s*(?:\[(?=["']))?\\{0,7}["']?)${done}(?:(?:digest|oauth|hawk|aws4-[\w-]+)\b[^\r\n]+|(?:bearer\s+["'])?[^\r\n"']+) => $1[key]`,
  gi`((?:\b(?:set-)?cookies?["']?\s*[:=]|(?<![\w-])--cookie[\s=])\s*)${done}${said}(?:\[[^\]\r\n]+\]|"[^"\r\n]+|'[^'\r\n]+|[^\r\n"']+) => $1[cookie]`,
  gi`\b((?:bearer:?|basic)\s+)${done}(?:${opaque}|(?=[\w+/]{8,}=))[^\s"',]+ => $1[key]`,
  // Keys of this service and others, by their prefixes.
  gi`\b(?:sk(?:[-_]|%2d)|whsec_|gh[pousr]_|github_pat_|gl(?:pat|rt|dt)-|[rp]k_(?:live|test)_|(?:xox[a-z]|xapp|tvly|pypi|GOCSPX)-|npm_|hf_|gsk_|AIza|ya29\.|SG\.|hvs\.|xai-|nvapi-|pplx-|eyJ\w{6,}\.|(?:AKIA|ASIA)(?=[A-Z\d]{12})|hooks\.slack\.com\/|\/bot(?=\d{5,}:))[\w.%+/:=-]{6,} => [key]`,
  // A password may contain characters that end a host name; a port is not one.
  gi`(\b[a-z][a-z0-9+.-]{0,20}:\/\/|(?<![\w:/])(?=[\w.%+-]{1,64}:(?!\d{1,5}@)))(?:[^\s/:@?#"'<>]{0,100}:(?!\d{1,5}(?:[/?#"'\s]|$))[^\s<>]{1,200}|[^\s/?#"'<>]{1,200})@(?=[\w[]) => $1[user]@`,
  g`((?<![\w-])(?:-[uU]|--(?:proxy-)?user)[ =]?["']?)[^\s:"']{1,64}:[^\s"']+ => $1[user]`,
  // In links: by a name, or by its look, because links have no other place for a key.
  gi`((?:[?&;#]|%3f|%26)[\w.%-]{0,40}(?:(?:sig|key|auth|token|secret|pass|password|pwd|otp|hmac|code|credential|signature|session|sid|jwt|policy)[\w.%-]{0,40}(?:=|%3d)|=${opaque}))${done}(?:(?!%26)[^&\s"'#<>\\])+ => $1[secret]`,
  gi`((?<![\w-])(?:--?(?:${secretName}|pass|pw)|--(?:[\w-]{0,40}-)?key(?=[\s=]+${opaque})|-p(?=[ =]))(?:\s+|=)|(?<![\w-])-p(?=[^\s=\d/]*[a-z]\d))(?!["']?[\d.:/]+(?:["'\s]|$))${done}(?!--?\w)${said}(?:"[^"\r\n]*|'[^'\r\n]*|[^\s"']+) => $1[secret]`,
  gi`((?:${secretName}|(?<![a-z])(?:pass|pin|(?:key|auth|sig)(?=[^\w]{1,20}${opaque})))(?:${given}|[ \t]+(?:(?:is|was)[ \t]+)?))${quoted} => $1$<q>[secret]`,
  gi`((?:${secretName}|(?<![a-z\d] )(?<![a-z])(?:pass|pin(?=\W{1,3}\d))|_(?:pass|auth)|(?<![a-z])(?:key|auth|sig|sid)(?=\W{1,20}${opaque}))${given})${done}(?!b?["'])${said}(?:(?!%26)[^\s"'&;,#\\<>\])}]|[&;,#](?![\s\w.-]{0,40}[=:]|[\s"'{[)\]}]|$))+ => $1[secret]`,
  // In prose: after a word for a secret, quoted text or letters with digits.
  giu`((?:${secretName}|(?<![a-z])key)(?:[ \t]+(?:is|was|reads))?[ \t:=]+["'\x60«“‘(]?)${done}(?=[^\s"'&;,<>)]{0,200}\d)(?=[^\s"'&;,<>)]{0,200}\p{L})[^\s"'&;,<>)’”»]{6,} => $1[secret]`,
  // Letters of both cases with digits, except the ids that support asks for; and long numbers.
  g`(?<![\w+=-])(?!(?:req|gen|job|msg|resp|run|chatcmpl|ticket|tmsg|att)[_-])(?=[\w+=/-]{0,200}[a-z])(?=[\w+=/-]{0,200}[A-Z])(?=[\w+=/-]{0,200}\d)(?:[\w+=-]{24,}|[\w+/]{40})(?![\w/.])|\b(?:0x)?[\da-f]{64,}\b => [key]`,
  giu`(?:"[^"\r\n@]{1,64}"|[\p{L}\p{N}._%+'-]{1,64})(?:@|%40)(?:(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}[\p{L}\p{N}-]{1,62}|\[[\d.:a-f]{3,45}\]|(?:\d{1,3}\.){3}\d{1,3}|localhost\b) => [e-mail]`,
  // Home folders of the usual systems; a name may contain spaces where the path continues.
  gi`(?:\b[a-z](?::|%3a))?(?:(?:\\{1,8}|\/|%5c|%2f)(?:mnt|[a-z]|var|usr|export)(?=\/))?(?:\\{1,8}|\/|%5c|%2f)(?:home|Users|Documents and Settings)(?:\\{1,8}|\/|%5c|%2f)(?:(?:[^\\/"'<>:;,)%\r\n]|%20){1,64}(?=[\\/]|%5c|%2f)|(?:%20|[^\\/\s"'<>:;,)%])+)|(?<![\w./-])\/root(?![\w.-])|(?<![\w./~-])~[\w.-]+(?=\/) => ~`,
];

/** @param folders the home folders of this machine; those of usual systems are always removed. */
export function redactReport(text: string, folders: readonly string[]): string {
  const clean = (one: string) =>
    rules.reduce(
      (sum, { pattern, replacement }) => sum.replace(pattern, replacement),
      withoutHomes(redact(one), folders),
    );
  // Invisible characters must not hide a secret; where they hide none, the text is unchanged.
  const plain = text
    .replace(/\u001b\[[\d;:?]*[ -/]*[@-~]/g, '')
    .replace(/[\p{Default_Ignorable_Code_Point}\u0000-\u0008\u000e-\u001f\u007f]/gu, '')
    .replace(/\\u00([2-7][\da-f])|%(?:25)*(2d|[4-7][\da-f])/gi, (sign, one, other) => {
      const read = String.fromCharCode(parseInt(String(one ?? other), 16));
      return /[\w@-]/.test(read) ? read : sign;
    });
  const found = clean(plain);
  return found === plain ? clean(text) : found;
}

/** `/home/me` is not a part of `/home/melissa`; it may occur in an address or in JSON. */
function withoutHomes(text: string, folders: readonly string[]): string {
  return folders
    .map((folder) => folder.replace(/[/\\]+$/, ''))
    .filter((folder) => folder !== '')
    .flatMap((folder) => [folder, encodeURI(folder), JSON.stringify(folder).slice(1, -1)])
    .sort((one, other) => other.length - one.length)
    .reduce((sum, folder) => {
      const pattern = folder.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
      return sum.replace(new RegExp(`${pattern}(?![\\p{L}\\p{N}_-])`, 'gu'), '~');
    }, text);
}
