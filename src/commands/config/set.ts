import type { Handler } from '../../cli/declaration.js';
import { UsageError } from '../../errors.js';
import { rawProfile, readConfig } from '../../state/config.js';
import { updateConfig } from '../../state/config-write.js';
import { checkSetting } from '../../state/rules.js';
import { profileName } from '../../state/settings.js';
import type { set } from './index.js';
import { keyFits, pinnedKey } from './pin-key.js';
import { settingNameFrom } from './values.js';

/** Checks a value and stores it in the profile, which need not exist yet. */
export const run: Handler<typeof set> = async (context, { args }) => {
  const { env, flags, out, paths, onward } = context;
  refuseKey(args.name);
  const name = settingNameFrom(args.name);
  const checked = checkSetting(name, args.value);
  if ('problem' in checked) throw new UsageError(checked.problem, { code: 'bad_setting' });
  const { value } = checked;
  const profile = profileName(readConfig(paths), flags, env).value;
  const withheld = await updateConfig(paths, context, (config) => {
    const before = rawProfile(config, profile) ?? {};
    const pinned = name === 'base_url' ? pinnedKey(before) : {};
    const after: Record<string, unknown> = { ...before, ...pinned, [name]: value };
    config.profiles = { ...config.profiles, [profile]: after };
    return name === 'base_url' && !keyFits(after);
  });
  if (flags.json) {
    await out.json({ profile, name, value });
    return;
  }
  out.note(`Set ${name} to ${String(value)} in profile "${profile}".`);
  if (withheld)
    out.note(onward('The stored key belongs to another origin; svc login stores one for this.'));
};

/** The command line of a process is there for all to read. */
function refuseKey(name: string): void {
  if (name !== 'key' && name !== 'key_origin') return;
  throw new UsageError('a key is not given as an argument, where others can read it', {
    hint: 'svc login asks for it; or: svc login --with-key < key.txt',
    code: 'key_in_argument',
  });
}
