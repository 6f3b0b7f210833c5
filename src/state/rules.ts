/** What a setting may hold: the same rules for flags, environment, config file and `config set`. */
import { parseDuration } from '../lib/duration.js';

/** A checked value, or one sentence on what is wrong with it that never quotes a secret. */
export type Checked<Value> = { readonly value: Value } | { readonly problem: string };

/**
 * Where the service is: http or https, absolute, with neither credentials, query nor fragment.
 * A trailing slash and a trailing `/v1` are dropped, for SDKs want them and people paste them.
 */
export function checkBaseUrl(text: string): Checked<URL> {
  const trimmed = text.trim();
  if (!/^https?:\/\//i.test(trimmed)) {
    return { problem: `the base URL must begin with https:// or http://, as in https://host` };
  }
  if (!URL.canParse(trimmed)) return { problem: 'the base URL is not a URL' };
  const url = new URL(trimmed);
  if (url.username !== '' || url.password !== '') {
    return { problem: 'the base URL must not hold a user name or password' };
  }
  if (/[?#]/.test(trimmed)) return { problem: 'the base URL must not have a query or fragment' };
  const path = url.pathname.replace(/\/+$/, '').replace(/\/+v1$/, '');
  if (path !== url.pathname) url.pathname = path;
  return { value: url };
}

/** A base URL without a trailing slash. */
export function baseUrlText(url: URL): string {
  return url.href.replace(/\/+$/, '');
}

/** A key: printable ASCII without spaces; blanks and newlines around it are dropped. */
export function checkKey(text: string): Checked<string> {
  const key = text.trim();
  if (key === '') return { problem: 'the key is empty' };
  return /^[\x21-\x7e]+$/.test(key)
    ? { value: key }
    : { problem: 'the key holds a space, a line break or a character that no key has' };
}

/** The form of a profile's name; it keeps names such as `__proto__` out of the file. */
export const profileNamePattern = '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$';

/** A profile's name: letters, digits, dots, hyphens and underscores. */
export function checkProfileName(text: string): Checked<string> {
  const problem =
    'a profile name begins with a letter or digit and holds up to 64 letters, digits, . _ -';
  return new RegExp(profileNamePattern).test(text) ? { value: text } : { problem };
}

/** A key that can be told from others, and used by nobody: `sk-svc-a…9xyz`. */
export function maskKey(key: string): string {
  // A short key would be shown nearly whole, so that much less of it is.
  return key.length >= 20 ? `${key.slice(0, 8)}…${key.slice(-4)}` : `${key.slice(0, 2)}…`;
}

const url = { type: 'string', pattern: '^https?://' } as const;
const brandPattern = '^[a-z0-9-]+$';

/** A length of time is kept as it was written: `30s`. */
const time = {
  schema: { type: 'string' },
  check: (text: string): Checked<number> => {
    const value = parseDuration(text);
    const problem = 'a timeout must be a length of time, as in 30s or 5m';
    return value === undefined ? { problem } : { value };
  },
} as const;

/**
 * The settings that a person may write with `config set`, as the config file names them: the JSON
 * Schema of what it holds, the check for words of a person, and the variable that goes before it.
 */
const settingRules = {
  base_url: { schema: url, check: checkBaseUrl, variable: 'SVC_BASE_URL' },
  brand: {
    schema: { type: 'string', pattern: brandPattern },
    check: (text: string): Checked<string> => {
      const problem = 'the brand may hold lower-case letters, digits and hyphens only';
      return new RegExp(brandPattern).test(text) ? { value: text } : { problem };
    },
    variable: 'SVC_BRAND',
  },
  model: {
    schema: { type: 'string', minLength: 1 },
    check: (text: string): Checked<string> => {
      const value = text.trim();
      const problem = 'the model must be an id without spaces, as in vendor/model';
      // \p{Cc} would say the same, and take 0.1 ms of every start to compile.
      return /^[^\s\u0000-\u001f\u007f-\u009f]+$/.test(value) ? { value } : { problem };
    },
  },
  connect_timeout: time,
  first_byte_timeout: time,
  idle_timeout: time,
  retry_wait: time,
  low_balance: {
    schema: { type: 'number', minimum: 0 },
    check: (text: string): Checked<number> => {
      const value = text.trim() === '' ? Number.NaN : Number(text);
      const problem = 'the low balance must be an amount in RUB of at least 0';
      return Number.isFinite(value) && value >= 0 ? { value } : { problem };
    },
  },
} as const;

export type SettingName = keyof typeof settingRules;
export const settingNames = Object.keys(settingRules).filter(
  (name): name is SettingName => name in settingRules,
);

/** All that a profile holds. A key is sent to `key_origin` alone, or that of `base_url`. */
export const profileRules = {
  ...settingRules,
  key: {
    schema: { type: 'string', pattern: '^[!-~]+$' },
    check: checkKey,
    variable: 'SVC_API_KEY',
  },
  key_origin: { schema: url },
} as const;

/** A setting as `config set` got it, in the form that the config file keeps. */
export function checkSetting(name: SettingName, text: string): Checked<string | number> {
  const checked = settingRules[name].check(text);
  if ('problem' in checked) return checked;
  if (checked.value instanceof URL) return { value: baseUrlText(checked.value) };
  const isTime = typeof checked.value === 'number' && name !== 'low_balance';
  return { value: isTime ? text.trim() : checked.value };
}
