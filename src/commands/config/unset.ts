import type { Handler } from '../../cli/declaration.js';
import { rawProfile, readConfig, type ConfigDocument } from '../../state/config.js';
import { updateConfig } from '../../state/config-write.js';
import { profileName, unknownProfile } from '../../state/settings.js';
import type { unset } from './index.js';
import { pinnedKey } from './pin-key.js';
import { settingNameFrom } from './values.js';

/** Removes a setting from the profile, and the profile with its last. */
export const run: Handler<typeof unset> = async (context, { args }) => {
  const { env, flags, out, paths } = context;
  const name = args.name === 'key' ? 'key' : settingNameFrom(args.name);
  const config = readConfig(paths);
  const named = profileName(config, flags, env);
  if (named.source !== 'default' && !rawProfile(config, named.value)) {
    throw unknownProfile(named.value, config);
  }
  const profile = named.value;
  const removed = await updateConfig(paths, context, (document) => remove(document, profile, name));
  if (flags.json) await out.json({ profile, name, removed });
  else if (removed) out.note(`Removed ${name} from profile "${profile}".`);
  else out.note(`${name} was not set in profile "${profile}".`);
};

function remove(config: ConfigDocument, profile: string, name: string): boolean {
  const fields = rawProfile(config, profile);
  if (fields?.[name] === undefined) return false;
  if (name === 'base_url') Object.assign(fields, pinnedKey(fields));
  if (name === 'key') delete fields['key_origin'];
  const rest = without(fields, name);
  const isEmpty = Object.keys(rest).length === 0;
  config.profiles = isEmpty
    ? without(config.profiles ?? {}, profile)
    : { ...config.profiles, [profile]: rest };
  if (isEmpty && config.profile === profile) delete config.profile;
  return true;
}

function without<Value>(record: Readonly<Record<string, Value>>, name: string) {
  return Object.fromEntries(Object.entries(record).filter(([other]) => other !== name));
}
