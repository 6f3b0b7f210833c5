/** Keys that are known by their looks, wherever they stand, and headers that hold them. */
import { done, opaque, rule, said, type Rule } from './redact-rule.js';

/** What begins like this is a key, of this service or of another. */
const beginnings: readonly Rule[] = [
  [/\bsk(?:[-_]|%2d)[\w%-]{6,}/gi, '[key]'],
  [/\bwhsec_[\w+/=-]+/g, '[key]'],
  [
    /\b(?:gh[pousr]_|github_pat_|gl(?:pat|rt|dt|ptt|cbt|oas)-|[rp]k_(?:live|test)_)[\w-]{6,}/g,
    '[key]',
  ],
  [/\b(?:xox[a-z](?:\.xox[a-z])?|xapp)-[\w-]{6,}/g, '[key]'],
  [
    /\b(?:npm_|hf_|r8_|gsk_|shp(?:at|ca|pa|ss)_|figd_|ntn_|lin_api_|dop_v1_|dckr_pat_)[\w.-]{6,}/g,
    '[key]',
  ],
  [
    /\b(?:AIza|ya29\.|SG\.|hvs\.|ATATT3|pypi-|xai-|nvapi-|pplx-|tvly-|PMAK-|GOCSPX-|AGE-SECRET-KEY-)[\w.-]{6,}/g,
    '[key]',
  ],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g, '[key]'],
  [/\beyJ[\w-]{6,}\.[\w-]+(?:\.[\w-]*)?/g, '[key]'],
  [/\b(?:dapi|key-)[\da-f]{32}\b/g, '[key]'],
  // Of a bot, and what passwords are kept as.
  [/\b\d{6,12}:[\w-]{30,}/g, '[key]'],
  [/\$(?:\d[a-z]?|g?y|apr1|argon2\w{0,2})\$[^\s:"']{8,}/g, '[key]'],
  [/(;base64,)[\w+/=%-]+/g, '$1[data]'],
];

/** Addresses that are keys themselves. */
const addresses: readonly Rule[] = [
  [/\b(hooks\.slack\.com\/|\/api\/webhooks\/|\/bot(?=\d{5,}:))[^\s"'<>]+/g, '$1[secret]'],
  rule(
    String.raw`(\/(?:reset|verify|confirm|invite|activate|magic|unsubscribe|secret|token|password)[\w-]{0,40}\/)${opaque}[^\s/?#"'<>]+`,
    'gi',
    '$1[secret]',
  ),
];

const files: readonly Rule[] = [
  [
    /-{4,5} ?BEGIN [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}[^]*?(?:-{4,5} ?END [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|$)/g,
    '[key]',
  ],
  [/\b(Private-Lines:)[^]*?(?:Private-MAC:\s*\S+|$)/g, '$1 [key]'],
];

const scheme = String.raw`(?:(?:bearer|basic|token|apikey|negotiate|ntlm)\s+)?`;

const headers: readonly Rule[] = [
  // These have several parts, with quotes of their own.
  [
    /(?<![a-z])((?:proxy-)?authorization\s*[:=]\s*(?:digest|oauth|hawk|mac|aws4-[\w-]+)\b)[^\r\n]+/gi,
    '$1 [key]',
  ],
  [/\b(digest\s+username=)[^\r\n]+/gi, '$1[user]'],
  rule(
    String.raw`(?<![a-z])((?:proxy-)?authorization\\{0,7}["']?\s*[:=,]\s*(?:${done}\[\s*)?\\{0,7}["']?)${done}${scheme}\\{0,7}["']?[^\r\n"']+`,
    'gi',
    '$1[key]',
  ),
  [/(?<![a-z])(authorization\s+(?:bearer|basic|token)\s+)[^\s"',]+/gi, '$1[key]'],
  rule(String.raw`\b((?:set-)?cookies?2?["']?\s*[:=]\s*)${done}\[[^\]\r\n]+\]`, 'gi', '$1[cookie]'),
  rule(
    String.raw`((?:\b(?:set-)?cookies?2?["']?\s*[:=]|(?<![\w-])(?:-b|--cookie)(?=[\s=]\s*["']?[\w.-]+=)[\s=])\s*)${done}${said}(?:"[^"\r\n]+|'[^'\r\n]+|[^\r\n"']+)`,
    'gi',
    '$1[cookie]',
  ),
  rule(String.raw`\b(bearer(?:\s+|:\s*))${done}${opaque}[^\s"',]+`, 'gi', '$1[key]'),
  [/\b(basic\s+)(?=[\w+/=]{0,200}[\d=+])[\w+/=]{8,}/gi, '$1[key]'],
];

/** Without a name, and without a beginning that tells. After all that has one. */
const atRandom: readonly Rule[] = [
  // Letters of both cases and digits, but for the ids that support asks for.
  [
    /(?<![\w+=-])(?!(?:req|gen|job|msg|resp|run|chatcmpl|ticket|tmsg|att)[_-])(?=[\w+=-]{0,200}[a-z])(?=[\w+=-]{0,200}[A-Z])(?=[\w+=-]{0,200}\d)[\w+=-]{24,}/g,
    '[key]',
  ],
  [
    /(?<![\w+/=.-])(?=[\w+/]{0,40}[a-z])(?=[\w+/]{0,40}[A-Z])(?=[\w+/]{0,40}\d)[\w+/]{40}(?![\w+/=.-])/g,
    '[key]',
  ],
  [/\b(?:0x)?[\da-f]{64,}\b/gi, '[key]'],
];

export const keyRules: readonly Rule[] = [...files, ...headers, ...beginnings, ...addresses];
export const lastRules: readonly Rule[] = atRandom;
