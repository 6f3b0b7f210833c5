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

/** The neutral token of the service's identifiers. */
export function checkBrand(text: string): Checked<string> {
  return /^[a-z0-9-]+$/.test(text)
    ? { value: text }
    : { problem: 'the brand may hold lower-case letters, digits and hyphens only' };
}

/** A key: printable ASCII without spaces; blanks and newlines around it are dropped. */
export function checkKey(text: string): Checked<string> {
  const key = text.trim();
  if (key === '') return { problem: 'the key is empty' };
  return /^[\x21-\x7e]+$/.test(key)
    ? { value: key }
    : { problem: 'the key holds a space, a line break or a character that no key has' };
}

/** A model id: `vendor/model`, an alias, or a pinned `model:variant`. */
export function checkModel(text: string): Checked<string> {
  const model = text.trim();
  // \p{Cc} would say the same, and take 0.1 ms of every start to compile.
  return /^[^\s\u0000-\u001f\u007f-\u009f]+$/.test(model)
    ? { value: model }
    : { problem: 'the model must be an id without spaces, as in vendor/model' };
}

/** A length of time such as `30s`, in milliseconds. */
export function checkTimeout(text: string): Checked<number> {
  const durationMs = parseDuration(text);
  return durationMs === undefined
    ? { problem: 'a timeout must be a length of time, as in 30s or 5m' }
    : { value: durationMs };
}

/** An amount in RUB. */
export function checkLowBalance(text: string): Checked<number> {
  const amount = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(amount) && amount >= 0
    ? { value: amount }
    : { problem: 'the low balance must be an amount in RUB of at least 0' };
}

/** The form of a profile's name; it keeps names such as `__proto__` out of the file. */
export const profileNamePattern = '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$';

/** A profile's name: letters, digits, dots, hyphens and underscores. */
export function checkProfileName(text: string): Checked<string> {
  return new RegExp(profileNamePattern).test(text)
    ? { value: text }
    : {
        problem:
          'a profile name begins with a letter or digit and holds up to 64 letters, digits, . _ -',
      };
}

/** A key that can be told from others, and used by nobody: `sk-svc-a…9xyz`. */
export function maskKey(key: string): string {
  // A short key would be shown nearly whole, so that much less of it is.
  return key.length >= 20 ? `${key.slice(0, 8)}…${key.slice(-4)}` : `${key.slice(0, 2)}…`;
}

const text = { type: 'string' } as const;
const url = { type: 'string', pattern: '^https?://' } as const;
/** A length of time is kept as it was written: `30s`. */
const time = { schema: text, check: checkTimeout } as const;

/**
 * The settings that a person may write with `config set`, as the config file names them: the JSON
 * Schema of what it holds, the check for words of a person, and the variable that goes before it.
 */
export const settingRules = {
  base_url: { schema: url, check: checkBaseUrl, variable: 'SVC_BASE_URL' },
  brand: {
    schema: { type: 'string', pattern: '^[a-z0-9-]+$' },
    check: checkBrand,
    variable: 'SVC_BRAND',
  },
  model: { schema: { type: 'string', minLength: 1 }, check: checkModel },
  connect_timeout: time,
  first_byte_timeout: time,
  idle_timeout: time,
  retry_wait: time,
  low_balance: { schema: { type: 'number', minimum: 0 }, check: checkLowBalance },
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
