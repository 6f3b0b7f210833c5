/** The settings in force: flag over environment over profile. */
import { defaultBrand } from '../contract/brand.js';
import { UsageError } from '../errors.js';
import { nearest } from '../lib/names.js';
import { rememberSecret } from '../lib/redact.js';
import {
  configFile,
  defaultProfile,
  oddField,
  profileNames,
  rawProfile,
  readConfig,
  storedProfile,
  type ConfigDocument,
  type StoredProfile,
} from './config.js';
import type { Env } from '../lib/env.js';
import type { Paths } from './paths.js';
import {
  checkBaseUrl,
  checkBrand,
  checkKey,
  checkLowBalance,
  checkModel,
  checkProfileName,
  checkTimeout,
  type Checked,
  type SettingName,
} from './rules.js';

/** Where a value came from; `config` is the config file's choice of a profile. */
export type Source = 'flag' | 'environment' | 'config' | 'profile' | 'default';

export interface Settings {
  readonly profile: string;
  /** As given, checked to be a URL; undefined when nothing names one. */
  readonly baseUrl: URL | undefined;
  /** Only a key that belongs to the origin of `baseUrl`. */
  readonly key: string | undefined;
  /**
   * Why the profile's key is not used, as a sentence: a key stays with the origin it was stored
   * for, so that it cannot be lured elsewhere.
   */
  readonly keyWithheld: string | undefined;
  readonly brand: string;
  /** The default model for chat. */
  readonly model: string | undefined;
  readonly connectTimeoutMs: number | undefined;
  readonly firstByteTimeoutMs: number | undefined;
  readonly idleTimeoutMs: number | undefined;
  readonly retryWaitMs: number | undefined;
  /** Below this balance a command warns once; in RUB. */
  readonly lowBalanceRub: number | undefined;
  /** Where each value came from; a value that nothing gives has no source. */
  readonly sources: Readonly<Partial<Record<SettingField, Source>>>;
}

export type SettingField = Exclude<keyof Settings, 'keyWithheld' | 'sources'>;

/** The flags that are settings, as the command line parsed them. */
export interface SettingFlags {
  readonly local: boolean;
  readonly profile: string | undefined;
  readonly baseUrl: string | undefined;
  readonly connectTimeoutMs: number | undefined;
  readonly firstByteTimeoutMs: number | undefined;
  readonly idleTimeoutMs: number | undefined;
  readonly retryWaitMs: number | undefined;
}

export interface SettingInputs {
  readonly flags: SettingFlags;
  readonly env: Env;
  readonly paths: Paths;
  /** Takes a profile that does not exist yet as an empty one, for `login` makes it. */
  readonly mayBeNew?: boolean;
}

/** A value with the place that gave it. */
interface Found<Value> {
  readonly value: Value;
  readonly source: Source;
}

/**
 * The settings in force. Under `--local` the config file is never opened, for nothing in it
 * concerns the embedded service; otherwise it is read here and nowhere earlier, so that help,
 * version and `--local` work whatever state it is in.
 * @throws UsageError when a flag or variable is malformed or names no profile,
 * ConfigError when the file is.
 */
export function loadSettings(inputs: SettingInputs): Settings {
  const place = placeFrom(inputs);
  const { flags, profile, stored } = place;
  const baseUrl = baseUrlInForce(place);
  const { key, withheld } = keyInForce(place, baseUrl?.value);
  const brand = brandInForce(place);
  const fields = {
    profile,
    baseUrl,
    key,
    brand,
    model: fromFile(place, 'model', checkModel),
    connectTimeoutMs:
      given(flags.connectTimeoutMs) ?? fromFile(place, 'connect_timeout', checkTimeout),
    firstByteTimeoutMs:
      given(flags.firstByteTimeoutMs) ?? fromFile(place, 'first_byte_timeout', checkTimeout),
    idleTimeoutMs: given(flags.idleTimeoutMs) ?? fromFile(place, 'idle_timeout', checkTimeout),
    retryWaitMs: given(flags.retryWaitMs) ?? fromFile(place, 'retry_wait', checkTimeout),
    lowBalanceRub: fromFile(place, 'low_balance', (text) => checkLowBalance(text)),
  };
  for (const secret of [key?.value, stored.key]) if (secret) rememberSecret(secret);
  return {
    profile: profile.value,
    baseUrl: baseUrl?.value,
    key: key?.value,
    keyWithheld: withheld,
    brand: brand.value,
    model: fields.model?.value,
    connectTimeoutMs: fields.connectTimeoutMs?.value,
    firstByteTimeoutMs: fields.firstByteTimeoutMs?.value,
    idleTimeoutMs: fields.idleTimeoutMs?.value,
    retryWaitMs: fields.retryWaitMs?.value,
    lowBalanceRub: fields.lowBalanceRub?.value,
    sources: sourcesOf(fields),
  };
}

/** Where values may come from. */
interface Place {
  readonly flags: SettingFlags;
  readonly env: Env;
  readonly profile: Found<string>;
  readonly stored: StoredProfile;
  readonly file: string;
}

function placeFrom({ flags, env, paths, mayBeNew }: SettingInputs): Place {
  if (flags.local) {
    return { flags, env, profile: profileName({}, flags, env), stored: {}, file: '' };
  }
  const config = readConfig(paths);
  const profile = profileName(config, flags, env);
  if (!mayBeNew) demandProfile(config, profile);
  const file = configFile(paths);
  return { flags, env, profile, stored: storedProfile(config, profile.value, file), file };
}

function sourcesOf(
  fields: Readonly<Record<SettingField, Found<unknown> | undefined>>,
): Settings['sources'] {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, found]) => (found ? [[name, found.source]] : [])),
  );
}

/**
 * The profile that flag, environment or file name, without asking that it exists:
 * `login` and `config set` may be about to make it.
 * @throws UsageError when the name cannot be one.
 */
export function profileName(
  config: ConfigDocument,
  flags: Pick<SettingFlags, 'profile'>,
  env: Env,
): { readonly value: string; readonly source: Source } {
  const named: Found<string> | undefined =
    flags.profile !== undefined
      ? { value: flags.profile, source: 'flag' }
      : env['SVC_PROFILE']
        ? { value: env['SVC_PROFILE'], source: 'environment' }
        : undefined;
  if (!named) {
    return config.profile === undefined
      ? { value: defaultProfile, source: 'default' }
      : { value: config.profile, source: 'config' };
  }
  demand(checkProfileName(named.value), named.source === 'flag' ? '--profile' : 'SVC_PROFILE');
  return named;
}

function demandProfile(config: ConfigDocument, { value, source }: Found<string>): void {
  if (source !== 'default' && !rawProfile(config, value)) throw unknownProfile(value, config);
}

/** A profile that the config file does not have, with the nearest that it has. */
export function unknownProfile(name: string, config: ConfigDocument): UsageError {
  const names = profileNames(config);
  const close = nearest(name, names);
  const known = names.length > 0 ? `; there is: ${names.join(', ')}` : '';
  return new UsageError(`there is no profile "${name}"${known}`, {
    hint: close
      ? `did you mean "${close}"? To make a new one: svc login --profile ${name}`
      : `svc login --profile ${name} makes it`,
    code: 'unknown_profile',
  });
}

function baseUrlInForce({ flags, env, stored, file, profile }: Place): Found<URL> | undefined {
  if (flags.baseUrl !== undefined) {
    return { value: demand(checkBaseUrl(flags.baseUrl), '--base-url'), source: 'flag' };
  }
  if (env['SVC_BASE_URL']) {
    return {
      value: demand(checkBaseUrl(env['SVC_BASE_URL']), 'SVC_BASE_URL'),
      source: 'environment',
    };
  }
  if (stored.base_url === undefined) return undefined;
  const checked = checkBaseUrl(stored.base_url);
  if ('problem' in checked) throw oddField(file, profile.value, 'base_url', checked.problem);
  return { value: checked.value, source: 'profile' };
}

function keyInForce(
  { env, stored, file, profile }: Place,
  baseUrl: URL | undefined,
): { key?: Found<string>; withheld?: string } {
  if (env['SVC_API_KEY']) {
    const key = demand(checkKey(env['SVC_API_KEY']), 'SVC_API_KEY');
    return { key: { value: key, source: 'environment' } };
  }
  if (stored.key === undefined || baseUrl === undefined) return {};
  const keyOrigin = keyOriginOf(stored);
  if (keyOrigin !== baseUrl.origin) {
    const owner = keyOrigin ?? 'another place';
    return {
      withheld: `the stored key belongs to ${owner} and is not sent to ${baseUrl.origin}`,
    };
  }
  const checked = checkKey(stored.key);
  if ('problem' in checked) throw oddField(file, profile.value, 'key', checked.problem);
  return { key: { value: checked.value, source: 'profile' } };
}

/** The origin a stored key belongs to: as stored, else that of its profile's base URL. */
export function keyOriginOf(stored: StoredProfile): string | undefined {
  if (stored.key_origin !== undefined) return stored.key_origin;
  const checked = checkBaseUrl(stored.base_url ?? '');
  return 'problem' in checked ? undefined : checked.value.origin;
}

function brandInForce(place: Place): Found<string> {
  const brand = place.env['SVC_BRAND'];
  if (brand) return { value: demand(checkBrand(brand), 'SVC_BRAND'), source: 'environment' };
  return fromFile(place, 'brand', checkBrand) ?? { value: defaultBrand, source: 'default' };
}

function fromFile<Value>(
  { stored, file, profile }: Place,
  name: Exclude<SettingName, 'base_url'>,
  check: (text: string) => Checked<Value>,
): Found<Value> | undefined {
  const value = stored[name];
  if (value === undefined) return undefined;
  const checked = check(String(value));
  if ('problem' in checked) throw oddField(file, profile.value, name, checked.problem);
  return { value: checked.value, source: 'profile' };
}

function given<Value>(value: Value | undefined): Found<Value> | undefined {
  return value === undefined ? undefined : { value, source: 'flag' };
}

function demand<Value>(checked: Checked<Value>, where: string): Value {
  if ('value' in checked) return checked.value;
  throw new UsageError(`${where}: ${checked.problem}`, { code: 'bad_setting' });
}
