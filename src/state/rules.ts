/** The settings: one table of what each may hold, where it is read from and how it is kept. */
import { parseDuration } from '../lib/duration.js';
import { languageOf } from '../lib/language.js';

/** A checked value, or one sentence on what is wrong with it that never quotes a secret. */
export type Checked<Value> = { readonly value: Value } | { readonly problem: string };

/** Drops a trailing `/v1`: SDKs require it, and people paste it. */
export function checkBaseUrl(text: string): Checked<URL> {
  const trimmed = text.trim();
  if (!/^https?:\/\//i.test(trimmed)) {
    return { problem: `the base URL must start with https:// or http://, such as https://host` };
  }
  if (!URL.canParse(trimmed)) return { problem: 'the base URL is not a URL' };
  const url = new URL(trimmed);
  if (url.username !== '' || url.password !== '') {
    return { problem: 'the base URL must not contain a user name or password' };
  }
  if (/[?#]/.test(trimmed)) return { problem: 'the base URL must not have a query or fragment' };
  const path = url.pathname.replace(/\/+$/, '').replace(/\/+v1$/, '');
  if (path !== url.pathname) url.pathname = path;
  return { value: url };
}

export function baseUrlText(url: URL): string {
  return url.href.replace(/\/+$/, '');
}

/** What is often copied together with a key. */
const keyMistakes: readonly (readonly [RegExp, string])[] = [
  [/^["'`“”„‘’«»]|["'`“”’«»]$/, 'is in quotes'],
  [/^(?:authorization\s*:\s*)?bearer\s/i, 'has "Bearer" before it'],
  [/^(?:(?:export|set)\s+)?[A-Z][A-Z0-9_]*=.|^[a-z-]+:\s/i, 'has a name before it'],
];

/** A key: printable ASCII without spaces; blanks and newlines around it are dropped. */
export function checkKey(text: string): Checked<string> {
  const key = text.trim();
  if (key === '') return { problem: 'the key is empty' };
  const mistake = keyMistakes.find(([pattern]) => pattern.test(key));
  if (mistake) return { problem: `the key ${mistake[1]}: give only the key itself` };
  const problem = 'the key contains a space, a line break or another invalid character';
  return /^[\x21-\x7e]+$/.test(key) ? { value: key } : { problem };
}

/** Enough of a key to recognise it: `sk-svc-a…9xyz`. */
export function maskKey(key: string): string {
  // A short key would be shown nearly whole.
  return key.length >= 20 ? `${key.slice(0, 8)}…${key.slice(-4)}` : `${key.slice(0, 2)}…`;
}

function checking<Value>(read: (text: string) => Value | undefined, problem: string) {
  return (text: string): Checked<Value> => {
    const value = read(text);
    return value === undefined ? { problem } : { value };
  };
}

const matching = (pattern: RegExp) => (text: string) => (pattern.test(text) ? text : undefined);

/** Its form keeps names such as `__proto__` out of the file. */
export const checkProfileName = checking(
  matching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/),
  'a profile name starts with a letter or digit and has at most 64 letters, digits, . _ -',
);

const checkTime = checking(parseDuration, 'a timeout must be a duration, such as 30s or 5m');

const checkCache = checking(
  (text) => (text.trim() === 'off' ? 0 : parseDuration(text, true)),
  'the cache must be a duration such as 24h, or off',
);

const checkModel = checking(
  // \p{Cc} is equivalent, but compiling it takes 0.1 ms of every start.
  (text) => matching(/^[^\s\u0000-\u001f\u007f-\u009f]+$/)(text.trim()),
  'the model must be an ID without spaces, such as vendor/model',
);

/** Above it a number would not be kept as it was typed. */
const maxAmountRub = 1e12;

function checkAmount(what: string) {
  return checking((text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    return value >= 0 && value <= maxAmountRub ? value : undefined;
  }, `${what} must be an amount in RUB from 0 to ${maxAmountRub}`);
}

/** Its variable is that of other programs, which take any word for on. */
const checkAccessible = checking((text) => {
  if (text === '') return undefined;
  return /^(?:0|off|no|false)$/i.test(text) ? 'off' : 'on';
}, 'accessible must be on or off');

/** The default model of a kind; its variable is SVC_MODEL and the kind. */
function modelOf<const Kind extends string>(kind: Kind) {
  const field = `model.${kind}` as const;
  return { field, check: checkModel, variable: `SVC_MODEL${`_${kind}`.toUpperCase()}` };
}

/** Each setting by its name in the file: field in `Settings`, check, variable before the file. */
export const rules = {
  base_url: { field: 'baseUrl', check: checkBaseUrl, variable: 'SVC_BASE_URL' },
  key: { field: 'key', check: checkKey, variable: 'SVC_API_KEY' },
  key_command: {
    field: 'keyCommand',
    check: checking(matching(/\S/), 'the key command is empty'),
  },
  brand: {
    field: 'brand',
    check: checking(
      matching(/^[a-z0-9-]+$/),
      'the brand must consist of lower-case letters, digits and hyphens',
    ),
    variable: 'SVC_BRAND',
  },
  cache: { field: 'cacheMs', check: checkCache, variable: 'SVC_CACHE' },
  log: {
    field: 'log',
    check: checking(matching(/^(?:on|off)$/), 'the log must be on or off'),
    variable: 'SVC_LOG',
  },
  accessible: { field: 'accessible', check: checkAccessible, variable: 'ACCESSIBLE' },
  language: {
    field: 'language',
    check: checking(languageOf, 'the language must be en or ru'),
    variable: 'SVC_LANG',
  },
  model: { field: 'model', check: checkModel, variable: 'SVC_MODEL' },
  'model.image': modelOf('image'),
  'model.video': modelOf('video'),
  'model.music': modelOf('music'),
  'model.audio': modelOf('audio'),
  'model.3d': modelOf('3d'),
  'model.speech': modelOf('speech'),
  'model.transcription': modelOf('transcription'),
  'model.embedding': modelOf('embedding'),
  'model.decision': modelOf('decision'),
  connect_timeout: { field: 'connectTimeoutMs', check: checkTime },
  first_byte_timeout: { field: 'firstByteTimeoutMs', check: checkTime },
  idle_timeout: { field: 'idleTimeoutMs', check: checkTime },
  retry_wait: { field: 'retryWaitMs', check: checkTime },
  low_balance: {
    field: 'lowBalanceRub',
    check: checkAmount('the low balance'),
  },
  budget_day: {
    field: 'budgetDayRub',
    check: checkAmount('the daily budget'),
    variable: 'SVC_BUDGET',
  },
  budget_month: { field: 'budgetMonthRub', check: checkAmount('the monthly budget') },
} as const;

export type RuleName = keyof typeof rules;
type AmountName = 'low_balance' | 'budget_day' | 'budget_month';
/** Whether its value is a number in the file. */
export const isAmount = (name: string) => /^(low_balance|budget_day|budget_month)$/.test(name);
export type SettingName = Exclude<RuleName, 'key'>;

/** Written by `svc login`: where a key may be sent, the keychain's entry for it, and its hash. */
export const keyFields = ['key_origin', 'key_entry', 'key_hash'] as const;
type KeyField = (typeof keyFields)[number];

/** Those that `config set` writes. */
export const settingNames = Object.keys(rules).filter(
  (name): name is SettingName => name in rules && name !== 'key',
);

/** Those of this machine, not of a service or an account: they hold under --local too. */
export const machineSettings: readonly string[] = [
  'log',
  'accessible',
  'language',
  'connect_timeout',
  'first_byte_timeout',
  'idle_timeout',
  'retry_wait',
  'budget_day',
  'budget_month',
] satisfies SettingName[];

/** What a profile holds in the file. */
export type StoredProfile = Readonly<
  Partial<Record<Exclude<RuleName, AmountName> | KeyField, string>> &
    Partial<Record<AmountName, number>>
>;

/** A setting as `config set` got it, in the form that the config file keeps. */
export function checkSetting(name: SettingName, text: string): Checked<string | number> {
  const checked = rules[name].check(text);
  if ('problem' in checked) return checked;
  if (checked.value instanceof URL) return { value: baseUrlText(checked.value) };
  const isTime = rules[name].check === checkTime || name === 'cache';
  return { value: isTime ? text.trim() : checked.value };
}
