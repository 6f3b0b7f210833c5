/** The settings in force under the names of the config file. */
import { durationText } from '../../lib/duration.js';
import { UsageError } from '../../errors.js';
import { nearest } from '../../lib/names.js';
import { baseUrlText, maskKey, settingNames, type SettingName } from '../../state/rules.js';
import type { SettingField, Settings, Source } from '../../state/settings.js';

/** All that `config list` and `config get` show. */
export const shownNames = ['profile', 'base_url', 'key', ...settingNames.slice(1)] as const;
export type ShownName = 'profile' | 'key' | SettingName;

export interface ShownValue {
  readonly name: ShownName;
  /** Undefined when nothing gives one; a key is masked unless it is to be revealed. */
  readonly value: string | number | undefined;
  readonly source: Source | undefined;
}

const fields: Readonly<Record<ShownName, SettingField>> = {
  profile: 'profile',
  base_url: 'baseUrl',
  key: 'key',
  brand: 'brand',
  model: 'model',
  connect_timeout: 'connectTimeoutMs',
  first_byte_timeout: 'firstByteTimeoutMs',
  idle_timeout: 'idleTimeoutMs',
  retry_wait: 'retryWaitMs',
  low_balance: 'lowBalanceRub',
};

/** One setting in force. */
export function shownValue(settings: Settings, name: ShownName, reveal = false): ShownValue {
  const field = fields[name];
  return { name, value: valueOf(settings, name, field, reveal), source: settings.sources[field] };
}

function valueOf(settings: Settings, name: ShownName, field: SettingField, reveal: boolean) {
  const value = settings[field];
  if (value instanceof URL) return baseUrlText(value);
  if (name === 'key' && typeof value === 'string') return reveal ? value : maskKey(value);
  return typeof value === 'number' && name !== 'low_balance' ? durationText(value) : value;
}

const variables: Readonly<Partial<Record<ShownName, string>>> = {
  profile: 'SVC_PROFILE',
  base_url: 'SVC_BASE_URL',
  key: 'SVC_API_KEY',
  brand: 'SVC_BRAND',
};

/** Where a value came from, for people: `--base-url`, `SVC_API_KEY`, `profile`. */
export function sourceName(name: ShownName, source: Source | undefined): string {
  switch (source) {
    case undefined:
      return 'not set';
    case 'flag':
      return `--${name.replaceAll('_', '-')}`;
    case 'environment':
      return variables[name] ?? source;
    case 'config':
      return 'config file';
    default:
      return source;
  }
}

/** @throws UsageError suggesting the nearest name. */
export function shownNameFrom(text: string): ShownName {
  return nameFrom(text, ['profile', 'key', ...settingNames]);
}

/** @throws UsageError suggesting the nearest name, or what to do for a key and a profile. */
export function settingNameFrom(text: string): SettingName {
  if (text === 'profile') {
    throw new UsageError('the usual profile is chosen, not set', {
      hint: 'svc config use NAME',
      code: 'unknown_setting',
    });
  }
  return nameFrom(text, settingNames);
}

function nameFrom<Name extends string>(text: string, names: readonly Name[]): Name {
  const name = names.find((candidate) => candidate === text);
  if (name) return name;
  const close = nearest(text, names);
  throw new UsageError(`there is no setting "${text}"`, {
    hint: close ? `did you mean ${close}?` : `there is: ${names.join(', ')}`,
    code: 'unknown_setting',
  });
}
