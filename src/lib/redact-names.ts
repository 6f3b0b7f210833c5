/** What a name gives away: whatever stands behind the word password, in any of its forms. */
import { done, opaque, rule, said, type Rule } from './redact-rule.js';

const kinds =
  'api|access|private|account|encryption|signing|master|licen[cs]e|subscription|deploy|shared|client|app|auth|service|host|storage|webhook|session|ssh|hmac|security|pair-id';

/** Names of figures and kinds are none of secrets: token_count, password_policy. */
const noFigure = String.raw`(?![_-]?(?:limit|count|type|length|size|timeout|ttl|name|expir\w{0,10}|policy|usage|budget|price|cost|window)s?(?![a-z]))`;

/** What stands behind one of these is secret, whatever it looks like. */
const secretName = String.raw`(?:(?:${kinds})[_ -]?key|secret(?!ar)|(?<!max[_-])token(?!s|i[sz])|pass[ _-]?w(?:[o0]r)?[dt]|passphrase|passcode|pwd|kennwort|contrase(?:ñ|n)a|mot de passe|senha|wachtwoord|密码|密碼|パスワード|credential|signature|session|sessid|jwt|csrf|xsrf|x-auth|(?<![a-z])(?:otp|psk)(?![a-z])|парол[ья]|секрет|токен)${noFigure}`;
const strong = String.raw`[\w-]{0,40}${secretName}[\w-]{0,40}`;

/** What quotes a value; in a text within a text with its backslashes. */
const quote = String.raw`(?<q>\\{0,7}["'\x60]|[«“‘])`;
/** Up to the same quote; where there is none, the rest of the line. A command of ours is no secret. */
const quoted = String.raw`${quote}${done}(?!svc )(?:(?!\k<q>)(?:\\.|[^\r\n»”’]))+`;
/** What joins a field to the next one ends a value only where there is a next one. */
const bare = String.raw`(?:\\ |(?!%26)[^\s"'&;,#\\<>]|[&;,#](?![\s\w.-]{0,40}[=:]|[\s"'{[)\]}]|amp;|$))+`;

const given = String.raw`\\{0,7}["'\x60]?(?:[\])]|%5d)?\s*(?:[:=]>|[:?+=]=|->|[:=]|%3d)\s*`;
const block = String.raw`(?:[|>][+-]?[ \t]*\r?\n\s*)?`;

interface Named {
  readonly flags?: string;
  /** What else has to be true of a value in quotes, and of one without. */
  readonly quotedIf?: string;
  readonly bareIf?: string;
}

/** What a name is given: `name: value`, `"name": "value"`, `name => [value]`, `["name", "value"]`. */
function named(names: string, { flags = 'gi', quotedIf = '', bareIf = said }: Named = {}): Rule[] {
  const name = `(?:${names})`;
  return [
    rule(
      String.raw`(${name}${given})${done}${quotedIf}(?:\[[^\][]{1,2000}\]|\{[^{}]{1,2000}\})`,
      flags,
      '$1[secret]',
    ),
    rule(`(${name}${given}b?)${done}${quotedIf}${quoted}`, flags, '$1$<q>[secret]'),
    rule(`(${name}${given}${block})${done}(?!b["'])${bareIf}${bare}`, flags, '$1[secret]'),
    rule(
      String.raw`(["']${name}\\{0,7}["']\s*,\s*)${quotedIf}${quoted}(?:\k<q>(?!\s*:)|$)`,
      flags,
      '$1$<q>[secret]$<q>',
    ),
  ];
}

const isOpaque = { quotedIf: String.raw`(?=\\{0,7}["']?${opaque})`, bareIf: opaque };

/** In links: by a name that says so, else by its looks, for links have no other place for a key. */
const inLinks: readonly Rule[] = [
  rule(
    String.raw`((?:[?&;#]|%3f|%26)(?:[\w.%-]{0,40}(?:sig|key|key-pair-id|auth|token|secret|pass|password|pwd|otp|hmac|hash|code|credential|session|sid|jwt|ticket|policy|samlresponse)[\w.%-]{0,40}|p|pw|pin|x-amz-[\w-]{1,40})(?:=|%3d))${done}(?:(?!%26)[^&\s"'#<>\\])+`,
    'gi',
    '$1[secret]',
  ),
  rule(String.raw`(\bsig(?:=|%3d))${done}(?:(?!%26)[^&\s"'#<>\\])+`, 'gi', '$1[secret]'),
  rule(String.raw`([?&][\w.%-]{1,80}=)${done}${opaque}[^&\s"'#<>\\]+`, 'gi', '$1[secret]'),
];

/** A word of a command line, quoted or not, that is no flag. */
const word = String.raw`(?:"[^"\r\n]*|'[^'\r\n]*|(?:\\ |[^\s"'])+)`;
const flagValue = String.raw`${done}(?!--?\w)${said}${word}`;
const within = String.raw`\b[^\r\n]{0,200}?\s`;

const flags: readonly Rule[] = [
  rule(
    String.raw`((?<![\w-])--?[\w-]{0,40}(?:${secretName}|bearer|(?<=-)(?:pass|pw|pin)(?![a-z]))[\w-]{0,40}(?:\s+|=|,(?=\S)))${flagValue}`,
    'gi',
    '$1[secret]',
  ),
  rule(
    String.raw`((?<![\w-])--(?:[\w-]{0,40}-)?key(?:\s+|=)["']?)${done}${opaque}[^\s"']+`,
    'gi',
    '$1[secret]',
  ),
  // Of programs whose short flag is a password, also where no blank follows it.
  rule(
    String.raw`(\b(?:(?:mysql\w*|mariadb\w*|sshpass|7z\w?)${within}-p|redis-cli${within}-a|ldap\w{3,10}${within}-w|(?:un)?zip${within}-P)[ =]?)${flagValue}`,
    'g',
    '$1[secret]',
  ),
  rule(String.raw`(\bhtpasswd\s(?:-\w+\s+){0,4}\S+\s+\S+\s+)${done}${word}`, 'g', '$1[secret]'),
  [/(\s-pass(?:in|out)?\s+\w+:)\S+/g, '$1[secret]'],
  // Of any other: but for ports, and where it makes folders or keeps times.
  rule(
    String.raw`(?<!\b(?:mkdir|cp|mv|install|rsync|tar|patch|ps|npx|git|cargo|tsc|time|read|lsof)\b[^\r\n;|&]{0,40})((?<![\w-])-p(?:[ =:]|["']\s*,\s*(?=["'])))(?!["']?[\d.:/]+(?:["'\s]|$))(?!<)${flagValue}`,
    'g',
    '$1[secret]',
  ),
  rule(
    String.raw`((?<![\w-])-[Pkw][ =]["']?)(?=[^\s"']*[a-z])(?=[^\s"']*\d)[^\s"'%/]{6,}`,
    'g',
    '$1[secret]',
  ),
  rule(
    String.raw`((?<![\w-])-p)(?=[a-z]{0,40}\d)(?=\d{0,40}[a-z])[^\s"'=/]{4,}`,
    'g',
    '$1[secret]',
  ),
];

const settings: readonly Rule[] = [
  ...named(String.raw`\b[A-Z][A-Z\d_]{0,60}_(?:KEY|PASS|PW|PIN|AUTH|DSN|CREDS?)`, { flags: 'g' }),
  rule(
    String.raw`(\b(?:setx|setenv|ENV|set(?:\s+-\w+)+)\s+[\w-]{0,40}(?:${secretName}|_pass)[\w-]{0,40}\s+)${done}${word}`,
    'gi',
    '$1[secret]',
  ),
  [/(\bmachine\s+\S+\s+login\s+)\S+(\s+password\s+)\S+/g, '$1[user]$2[secret]'],
];

const elements: readonly Rule[] = [
  rule(
    String.raw`(<[\w:-]{0,40}${secretName}[\w-]{0,40}>(?:<!\[CDATA\[)?)${done}[^<\]]+`,
    'gi',
    '$1[secret]',
  ),
  // {"name": "password", "value": "…"}, <add key="password" value="…">
  rule(
    String.raw`([:=]\s*\\{0,7}["']?${strong}\\{0,7}["']?[\s,;]{1,10}\\{0,7}["']?val(?:ue)?\\{0,7}["']?\s*[:=]\s*)${quoted}`,
    'gi',
    '$1$<q>[secret]',
  ),
  // A part of a form.
  rule(
    String.raw`(\bname="?${strong}"?[^\r\n]{0,200}\r?\n(?:[^\r\n]{1,200}\r?\n){0,4}\r?\n)${done}[^\r\n]+`,
    'gi',
    '$1[secret]',
  ),
  rule(
    String.raw`(\|\s*${strong}\s*\|\s*)(?=[^|\r\n]*\d)(?=[^|\r\n]*[a-z])[^|\s]+`,
    'gi',
    '$1[secret]',
  ),
];

/** As people put it: behind a word that says secret, what is quoted or has letters and digits. */
const sentences: readonly Rule[] = [
  rule(
    String.raw`((?:(?:recovery|seed|secret|backup)[ -]phrase|passphrase|mnemonic)\s*[:=]\s*)${done}${said}[^\r\n"'<>]+`,
    'gi',
    '$1[secret]',
  ),
  rule(
    String.raw`(\b(?:one[- ]?time|verification|security|recovery|backup|access|2fa|login|confirmation)\s+code(?:\s+(?:is|was))?\s*[:=]?\s*)(?=[\w-]*\d)[\w-]{3,}`,
    'gi',
    '$1[secret]',
  ),
  [/((?<![a-z])pin\\{0,7}["']?\s*[:=]\s*\\{0,7}["']?)\d{3,}/gi, '$1[secret]'],
];

const spoken = String.raw`(?:[ \t](?:id|value))?[ \t]+(?:(?:is|was|are|reads|[=–—-])[ \t]+)?\(?`;

const afterNames: readonly Rule[] = [
  rule(
    String.raw`((?<![a-z])key${spoken}["'\x60‘“«]?)${done}${opaque}(?=[^\s"'&;,<>]{0,200}[a-z])[^\s"'&;,<>’”»]+`,
    'gi',
    '$1[secret]',
  ),
  rule(`(${secretName}${spoken})${quoted}`, 'gi', '$1$<q>[secret]'),
  rule(
    String.raw`(${secretName}${spoken})${done}(?=[^\s"'&;,<>)]{4})(?=[^\s"'&;,<>)]{0,200}\d)(?=[^\s"'&;,<>)]{0,200}\p{L})[^\s"'&;,<>)]+`,
    'giu',
    '$1[secret]',
  ),
];

export const nameRules: readonly Rule[] = [
  ...inLinks,
  ...flags,
  ...elements,
  ...sentences,
  ...named(strong),
  ...settings,
  // Names that say less.
  ...named('(?<![a-z])sid'),
  ...named('(?<![A-Za-z])(?:[Pp]ass|[Pp]w)', {
    flags: 'g',
    bareIf: String.raw`(?!\d+(?![\w.]))${said}`,
  }),
  ...named(String.raw`(?<![a-z])(?:auth|key|sig)(?![a-z])|(?<![а-я])ключ(?![а-я])`, isOpaque),
  ...afterNames,
];
