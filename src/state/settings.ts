/** The settings in force: flag over environment over profile. */
import { defaultBrand } from '../contract/brand.js';
import { ConfigError, UsageError } from '../errors.js';
import type { Env } from '../lib/env.js';
import { nearest } from '../lib/names.js';
import { rememberSecret } from '../lib/redact.js';
import {
  configFile,
  defaultProfile,
  invalidField,
  profileNames,
  rawProfile,
  readConfig,
  storedProfile,
  type ConfigDocument,
} from './config.js';
import type { Paths } from './paths.js';
import {
  checkBaseUrl,
  checkProfileName,
  keyFields,
  machineSettings,
  rules,
  settingNames,
} from './rules.js';
import type { Checked, RuleName, StoredProfile } from './rules.js';

/** Where a profile keeps its key. */
export type KeyStore = 'file' | 'keychain' | 'command';

/**
 * Where a value came from; `config` is the config file's choice of a profile. A key with the
 * source `keychain` or `command` is read from there when it is needed.
 */
export type SettingSource = 'flag' | 'environment' | 'config' | 'profile' | 'default' | KeyStore;

/** The value of each setting, by its field. */
type Values = {
  readonly [Name in RuleName as (typeof rules)[Name]['field']]?:
    Extract<ReturnType<(typeof rules)[Name]['check']>, { value: unknown }>['value'] | undefined;
};
type Time = 'connectTimeoutMs' | 'firstByteTimeoutMs' | 'idleTimeoutMs' | 'retryWaitMs';

export interface SettingFlags extends Pick<Values, Time> {
  readonly local: boolean;
  readonly profile: string | undefined;
  readonly baseUrl: string | undefined;
}

/** The key is only one that belongs to the origin of the base URL. */
export interface Settings extends Values {
  readonly profile: string;
  readonly brand: string;
  readonly keyStore: KeyStore;
  /** The name of the keychain's entry. */
  readonly keyEntry: string | undefined;
  /** That of a key which is read from elsewhere, as far as it is known. */
  readonly keyHash: string | undefined;
  /** Why the profile's key is not used: it stays with the origin it was stored for. */
  readonly keyWithheld: string | undefined;
  readonly sources: Sources;
}

type Sources = Partial<Record<'profile' | keyof Values, SettingSource>>;

interface Rule {
  readonly field: keyof Values;
  readonly check: (text: string) => Checked<unknown>;
  readonly variable?: string;
}

/**
 * Under `--local` only the settings of this machine are read from the file, and no service.
 * @param mayBeNew the profile need not exist. @throws UsageError, ConfigError
 */
export function loadSettings(
  { flags, env, paths }: { flags: SettingFlags; env: Env; paths: Paths },
  mayBeNew = false,
): Settings {
  const config = flags.local ? machineConfig(paths) : readConfig(paths);
  const profile = profileName(config, flags, env);
  const isNamed = !flags.local && !mayBeNew && profile.source !== 'default';
  if (isNamed && !rawProfile(config, profile.value)) throw unknownProfile(profile.value, config);
  const file = configFile(paths);
  const stored = storedProfile(config, profile.value, file);

  const { connectTimeoutMs, firstByteTimeoutMs, idleTimeoutMs, retryWaitMs } = flags;
  const ofFlags: Values = {
    ...{ connectTimeoutMs, firstByteTimeoutMs, idleTimeoutMs, retryWaitMs },
    baseUrl:
      flags.baseUrl === undefined ? undefined : valid(checkBaseUrl(flags.baseUrl), '--base-url'),
  };
  const sources: Sources = { profile: profile.source };
  const values: Values = {};
  const read = (name: RuleName): void => {
    const { field, check, variable = '' }: Rule = rules[name];
    const isUnused = flags.local && (name === 'base_url' || name === 'key');
    const [text, saved] = [isUnused ? undefined : env[variable], stored[name]];
    let value: unknown = ofFlags[field];
    if (value !== undefined) sources[field] = 'flag';
    else if (text) {
      sources[field] = 'environment';
      value = valid(check(text), variable);
    } else if (saved !== undefined) {
      const checked = check(String(saved));
      if ('problem' in checked) throw invalidField(file, profile.value, name, checked.problem);
      sources[field] = 'profile';
      value = checked.value;
    }
    Object.assign(values, { [field]: value });
  };

  read('base_url');
  const isKeyGiven = Boolean(env[rules.key.variable]);
  const keyWithheld = isKeyGiven ? undefined : reasonWithheld(stored, values.baseUrl);
  const hasKey = isKeyGiven || (values.baseUrl !== undefined && keyWithheld === undefined);
  const keyStore = keyStoreOf(stored);
  if (hasKey && !isKeyGiven && keyStore !== 'file') sources.key = keyStore;
  else if (hasKey) read('key');
  for (const secret of [values.key, stored.key]) if (secret) rememberSecret(secret);
  settingNames.filter((name) => name !== 'base_url').forEach(read);
  const { brand = defaultBrand } = values;
  sources.brand ??= 'default';
  return {
    ...values,
    key: values.key,
    profile: profile.value,
    brand,
    keyStore,
    keyEntry: stored.key_entry,
    keyHash: sources.key === keyStore ? stored.key_hash : undefined,
    keyWithheld,
    sources,
  };
}

/** The settings of this machine in each profile; none where the file is broken: --local needs none. */
function machineConfig(paths: Paths): ConfigDocument {
  try {
    const { profile, profiles = {} } = readConfig(paths);
    const ofMachine = (fields: Readonly<Record<string, unknown>>) =>
      Object.fromEntries(Object.entries(fields).filter(([name]) => machineSettings.includes(name)));
    const entries = Object.entries(profiles).map(
      ([name, fields]) => [name, ofMachine(fields)] as const,
    );
    return { profile, profiles: Object.fromEntries(entries) };
  } catch (error) {
    if (error instanceof ConfigError) return {};
    throw error;
  }
}

/** @throws ConfigError */
export function knownBaseUrl({ baseUrl }: { readonly baseUrl?: URL | undefined }): URL {
  if (baseUrl) return baseUrl;
  throw new ConfigError('no base URL is known', {
    code: 'no_base_url',
    hint: 'run `svc init` (the first time) or `svc login`, set SVC_BASE_URL, or try --local for the embedded service',
  });
}

/** The profile that flag, environment or file name, whether or not it exists. @throws UsageError */
export function profileName(
  config: ConfigDocument,
  flags: Pick<SettingFlags, 'profile'>,
  env: Env,
): { readonly value: string; readonly source: SettingSource } {
  if (flags.profile !== undefined) {
    return { value: valid(checkProfileName(flags.profile), '--profile'), source: 'flag' };
  }
  const name = env['SVC_PROFILE'];
  if (name) return { value: valid(checkProfileName(name), 'SVC_PROFILE'), source: 'environment' };
  return config.profile === undefined
    ? { value: defaultProfile, source: 'default' }
    : { value: config.profile, source: 'config' };
}

export function unknownProfile(name: string, config: ConfigDocument): UsageError {
  const names = profileNames(config);
  const close = nearest(name, names);
  const known = names.length > 0 ? `; profiles: ${names.join(', ')}` : '';
  return new UsageError(`there is no profile "${name}"${known}`, {
    hint: close
      ? `did you mean "${close}"? To create it: svc login --profile ${name}`
      : `to create it: svc login --profile ${name}`,
    code: 'unknown_profile',
  });
}

function reasonWithheld(stored: StoredProfile, baseUrl: URL | undefined): string | undefined {
  if (!holdsKey(stored) || baseUrl === undefined) return undefined;
  const owner = keyOriginOf(stored) ?? 'another origin';
  if (owner === baseUrl.origin) return undefined;
  return `the stored key belongs to ${owner} and is not sent to ${baseUrl.origin}`;
}

export function keyStoreOf({ key_command, key_entry }: StoredProfile): KeyStore {
  if (key_command !== undefined) return 'command';
  return key_entry === undefined ? 'file' : 'keychain';
}

/** The fields that hold a profile's key or lead to it. */
const keyNames = ['key', 'key_entry', 'key_command'] as const;

export function holdsKey(fields: Readonly<Record<string, unknown>>): boolean {
  return keyNames.some((name) => fields[name] !== undefined);
}

/** Removes these fields, and what is known of the key. */
export function forgetKey(fields: Record<string, unknown>): void {
  for (const name of [...keyNames, ...keyFields]) Reflect.deleteProperty(fields, name);
}

/** The origin a stored key belongs to: as stored, else that of its profile's base URL. */
export function keyOriginOf(stored: StoredProfile): string | undefined {
  if (stored.key_origin !== undefined) return stored.key_origin;
  const checked = checkBaseUrl(stored.base_url ?? '');
  return 'problem' in checked ? undefined : checked.value.origin;
}

function valid<Value>(checked: Checked<Value>, where: string): Value {
  if ('value' in checked) return checked.value;
  throw new UsageError(`${where}: ${checked.problem}`, { code: 'bad_setting' });
}
