import type { Context, Handler } from '../../context.js';
import { UsageError } from '../../errors.js';
import { defaultTimeouts, durationText, usualRetryWaitMs } from '../../lib/duration.js';
import { nearest } from '../../lib/names.js';
import {
  configFile,
  profileNames,
  rawProfile,
  readConfig,
  storedProfile,
  type ConfigDocument,
} from '../../state/config.js';
import { updateConfig } from '../../state/config-write.js';
import { baseUrlText, checkSetting, maskKey, rules, settingNames } from '../../state/rules.js';
import type { RuleName, SettingName } from '../../state/rules.js';
import {
  forgetKey,
  holdsKey,
  keyOriginOf,
  keyStoreOf,
  profileName,
  unknownProfile,
} from '../../state/settings.js';
import type { Settings, SettingSource } from '../../state/settings.js';
import { textsIn } from '../../texts/load.js';
import type { SourceTexts } from '../../texts/texts.js';
import { wholeKey } from '../fields.js';
import { listView, writeList } from '../listing.js';
import { emptyKeychain, programWords } from '../account/key-store.js';
import type * as declared from './index.js';

export const list: Handler<typeof declared.list> = async (context, { options }) => {
  const { flags, out, paths } = context;
  const settings = context.settings();
  const { keyWithheld } = settings;
  const { sources } = await textsIn('en');
  const names = ['profile', 'base_url', 'key', ...settingNames.slice(1)] as const;
  const values = names.slice(0, options.limit).map((name) => shownValue(settings, name));
  const shown = values.map(({ name, field, value, source }) => {
    const usual = out.isTerminal && value === undefined ? usualValues.get(field) : undefined;
    if (usual !== undefined) return { name, value: usual, from: 'default' };
    const isWithheld = name === 'key' && keyWithheld !== undefined;
    const from = isWithheld ? 'withheld' : sourceName(sources, name, source);
    return { name, value: String(value ?? ''), from };
  });
  const view = listView<(typeof shown)[number]>([
    ['SETTING', ({ name }) => name],
    [{ title: 'VALUE', min: 10 }, ({ value }) => value],
    [{ title: 'FROM', min: 7, drop: 1 }, ({ from }) => from],
  ]);
  const inEffect = values.map(
    ({ name, value = null, source = null }) => [name, { value, source }] as const,
  );
  const json = {
    configFile: configFile(paths),
    settings: Object.fromEntries(inEffect),
    keyWithheld,
  };
  await writeList(context, view, { items: shown, json });
  if (!flags.json && keyWithheld !== undefined) out.note(`The key is withheld: ${keyWithheld}.`);
};

const usualValues = new Map<string, string>([
  ['cacheMs', 'off'],
  ['log', 'on'],
  ['accessible', 'off'],
  ['connectTimeoutMs', durationText(defaultTimeouts.connectMs)],
  ['firstByteTimeoutMs', durationText(defaultTimeouts.firstByteMs)],
  ['idleTimeoutMs', durationText(defaultTimeouts.idleMs)],
  ['retryWaitMs', durationText(usualRetryWaitMs)],
]);

export const get: Handler<typeof declared.get> = async (context, { args, options }) => {
  const { flags, out } = context;
  const name = nameFrom<ShownName>(args.name, ['profile', 'key', ...settingNames]);
  const settings = name === 'key' ? await context.keyed() : context.settings();
  const { value, source } = shownValue(settings, name, options.reveal === true);
  if (value === undefined) {
    const withheld = name === 'key' ? settings.keyWithheld : undefined;
    throw new UsageError(withheld ?? `${name} is not set`, {
      hint: name === 'key' ? 'svc login' : `svc config set ${name} VALUE`,
      code: 'not_set',
    });
  }
  await (flags.json ? out.json({ name, value, source }) : out.line(String(value)));
};

export const set: Handler<typeof declared.set> = async (context, { args }) => {
  const { flags, out, commandHint } = context;
  const holdsOne = args.value.search(wholeKey) >= 0;
  if (args.name === 'key' || args.name === 'key_origin' || holdsOne) {
    throw new UsageError('a key cannot be given as an argument: other users could read it', {
      hint: 'to type it: svc login; from a file: svc login --with-key < key.txt',
      code: 'key_in_argument',
    });
  }
  const name = settingNameFrom(args.name);
  const checked = checkSetting(name, args.value);
  if ('problem' in checked) throw new UsageError(checked.problem, { code: 'bad_setting' });
  const { value } = checked;
  if (name === 'key_command') {
    const words = await programWords(args.value);
    if ('problem' in words) throw new UsageError(words.problem, { code: 'bad_setting' });
  }
  const { profile, isKeyWithheld, hasCopy } = await store(context, name, value);
  if (flags.json) return out.json({ profile, name, value });
  // In the language that may have just been set.
  const { settings } = await textsIn(out.language);
  out.note(settings.set(name, String(value), profile));
  const withheld = 'The stored key belongs to another origin. To store one for this: svc login';
  if (isKeyWithheld) out.note(commandHint(withheld));
  const other = 'It comes before the stored key. To remove that: svc login --store command';
  if (name === 'key_command' && hasCopy) out.note(commandHint(other));
};

export async function store(context: Context, name: SettingName, value: string | number) {
  const { env, flags, paths } = context;
  const profile = profileName(readConfig(paths), flags, env).value;
  return updateConfig(paths, context, (config) => {
    const fields = { ...rawProfile(config, profile) };
    if (name === 'base_url') pinKey(fields);
    // That of an earlier key.
    if (name === 'key_command') delete fields['key_hash'];
    fields[name] = value;
    config.profiles = { ...config.profiles, [profile]: fields };
    const origin = keyOriginOf({ base_url: String(fields['base_url']) });
    const isMoved = name === 'base_url' && (fields['key_origin'] ?? origin) !== origin;
    const hasCopy = fields['key'] !== undefined || fields['key_entry'] !== undefined;
    return { profile, isKeyWithheld: isMoved && holdsKey(fields), hasCopy };
  });
}

export const unset: Handler<typeof declared.unset> = async (context, { args }) => {
  const { flags, out, paths } = context;
  const name = args.name === 'key' ? 'key' : settingNameFrom(args.name);
  const profile = knownProfile(context);
  const removed = await updateConfig(paths, context, async (document) => {
    if (name === 'key') await emptyKeychain(paths, profile, rawProfile(document, profile));
    return remove(document, profile, name);
  });
  if (flags.json) return out.json({ profile, name, removed });
  const { settings } = await textsIn(out.language);
  out.note((removed ? settings.removed : settings.wasNotSet)(name, profile));
};

/** The profile in use; the default one need not be stored. @throws UsageError */
export function knownProfile({ env, flags, paths }: Context): string {
  const config = readConfig(paths);
  const { value, source } = profileName(config, flags, env);
  if (source !== 'default' && !rawProfile(config, value)) throw unknownProfile(value, config);
  return value;
}

function remove(config: ConfigDocument, profile: string, name: string): boolean {
  const fields = rawProfile(config, profile);
  const names = name === 'key' ? ['key', 'key_entry'] : [name];
  if (!fields || names.every((one) => fields[one] === undefined)) return false;
  if (name === 'base_url') pinKey(fields);
  for (const one of names) Reflect.deleteProperty(fields, one);
  if (!holdsKey(fields)) forgetKey(fields);
  if (Object.keys(fields).length === 0) removeProfile(config, profile);
  return true;
}

/** @returns whether it was the default profile */
function removeProfile(config: ConfigDocument, name: string): boolean {
  if (config.profiles) Reflect.deleteProperty(config.profiles, name);
  const wasDefault = config.profile === name;
  if (wasDefault) delete config.profile;
  return wasDefault;
}

export const profiles: Handler<typeof declared.profiles> = async (context, { options }) => {
  const { env, flags, paths, commandHint } = context;
  if (options.delete !== undefined) return deleteProfile(context, options.delete);
  const config = readConfig(paths);
  const inUse = profileName(config, flags, env).value;
  const names = profileNames(config).slice(0, options.limit);
  const items = names.map((name) => {
    const stored = storedProfile(config, name, configFile(paths));
    const { base_url: baseUrl, key } = stored;
    const [store, isInUse] = [keyStoreOf(stored), name === inUse];
    if (store !== 'file') return { name, inUse: isInUse, baseUrl, store };
    return { name, inUse: isInUse, baseUrl, key: key === undefined ? key : maskKey(key) };
  });
  const view = listView<(typeof items)[number]>(
    [
      ['PROFILE', ({ name }) => name],
      [{ title: 'BASE URL', min: 8 }, ({ baseUrl }) => baseUrl],
      [{ title: 'KEY', drop: 1 }, ({ key, store }) => key ?? store],
      ['IN USE', (profile) => (profile.inUse ? 'yes' : '')],
    ],
    commandHint('No profiles yet. To create one: svc login'),
  );
  await writeList(context, view, { items, json: items });
};

async function deleteProfile(context: Context, name: string): Promise<void> {
  const { flags, out, paths, prompts, commandHint } = context;
  const config = readConfig(paths);
  if (!rawProfile(config, name)) throw unknownProfile(name, config);
  const message = `Delete profile "${name}" and its key?`;
  if (!(await prompts.confirm({ message, default: false }))) return;
  const wasDefault = await updateConfig(paths, context, async (fresh) => {
    await emptyKeychain(paths, name, rawProfile(fresh, name));
    return removeProfile(fresh, name);
  });
  if (flags.json) return out.json({ profile: name, deleted: true });
  out.note(`Deleted profile "${name}".`);
  const next = 'It was the default profile. To choose another: svc config use NAME';
  if (wasDefault) out.note(commandHint(next));
}

export const use: Handler<typeof declared.use> = async (context, { args: { profile } }) => {
  const { env, flags, out, paths } = context;
  await updateConfig(paths, context, (config) => {
    if (!rawProfile(config, profile)) throw unknownProfile(profile, config);
    config.profile = profile;
  });
  if (flags.json) await out.json({ profile });
  else out.note(`Profile "${profile}" is now the default.`);
  const override = env['SVC_PROFILE'];
  if (override && override !== profile) out.warn(`SVC_PROFILE overrides it with "${override}"`);
};

export const path: Handler<typeof declared.path> = async ({ flags, out, paths }) => {
  const file = configFile(paths);
  if (flags.json) await out.json({ configFile: file, data: paths.data, cache: paths.cache });
  else await out.line(file);
};

type ShownName = 'profile' | RuleName;

/** One setting in force, a key masked unless it is to be revealed; undefined where there is none. */
export function shownValue(settings: Settings, name: ShownName, reveal = false) {
  const field = name === 'profile' ? name : rules[name].field;
  const known = { name, field, source: settings.sources[field] };
  const value = settings[field];
  if (value instanceof URL) return { ...known, value: baseUrlText(value) };
  if (typeof value === 'string' && name === 'key' && !reveal) {
    return { ...known, value: maskKey(value) };
  }
  const isTime = typeof value === 'number' && !field.endsWith('Rub');
  const time = isTime && (value === 0 ? 'off' : durationText(value));
  return { ...known, value: time || value };
}

/** Where a value came from, for people: `--base-url`, `SVC_API_KEY`, `profile`. */
export function sourceName(words: SourceTexts, name: ShownName, source?: SettingSource): string {
  if (source === undefined) return words.none;
  if (source === 'flag') return `--${name.replaceAll('_', '-')}`;
  if (source === 'command') return 'key_command';
  if (source !== 'environment') return words[source];
  if (name === 'profile') return 'SVC_PROFILE';
  const rule = rules[name];
  return 'variable' in rule ? rule.variable : source;
}

function settingNameFrom(text: string): SettingName {
  if (text !== 'profile') return nameFrom(text, settingNames);
  throw new UsageError('the default profile is not a setting', {
    hint: 'svc config use NAME',
    code: 'unknown_setting',
  });
}

function nameFrom<Name extends string>(text: string, names: readonly Name[]): Name {
  // The default model for chat is called just that.
  const name = names.find((candidate) => candidate === text.replace(/^model\.chat$/, 'model'));
  if (name) return name;
  const close = nearest(text, names);
  throw new UsageError(`there is no setting "${text}"`, {
    hint: close ? `did you mean ${close}?` : `settings: ${names.join(', ')}`,
    code: 'unknown_setting',
  });
}

/** Stores the origin of a key written by hand before its base URL changes: the key stays there. */
function pinKey(fields: Record<string, unknown>): void {
  const { key_origin: keyOrigin, base_url: baseUrl } = fields;
  if (!holdsKey(fields) || keyOrigin !== undefined || typeof baseUrl !== 'string') return;
  const origin = keyOriginOf({ base_url: baseUrl });
  if (origin !== undefined) fields['key_origin'] = origin;
}
