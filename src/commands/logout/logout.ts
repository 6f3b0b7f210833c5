import type { Handler } from '../../cli/declaration.js';
import { UsageError } from '../../errors.js';
import { profileNames, rawProfile, readConfig } from '../../state/config.js';
import { updateConfig } from '../../state/config-write.js';
import { profileName, unknownProfile } from '../../state/settings.js';
import type { logout } from './index.js';

/** Removes the key of one profile, or of all. */
export const run: Handler<typeof logout> = async (context, { options }) => {
  const { env, flags, out, paths } = context;
  if (options.all && flags.profile !== undefined) {
    throw new UsageError('--all and --profile do not go together', {
      hint: 'svc logout --all, or: svc logout --profile NAME',
    });
  }
  const config = readConfig(paths);
  const named = profileName(config, flags, env);
  const names = options.all ? profileNames(config) : [named.value];
  if (!options.all && named.source !== 'default' && !rawProfile(config, named.value)) {
    throw unknownProfile(named.value, config);
  }
  const removed = await updateConfig(paths, context, (document) =>
    names.filter((name) => {
      const fields = rawProfile(document, name);
      if (fields?.['key'] === undefined) return false;
      delete fields['key'];
      delete fields['key_origin'];
      return true;
    }),
  );
  if (flags.json) await out.json({ removed });
  else out.note(sentence(removed, names));
  if (env['SVC_API_KEY']) out.warn('SVC_API_KEY is still set and stays in use');
};

function sentence(removed: readonly string[], asked: readonly string[]): string {
  const list = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ');
  if (removed.length > 0) {
    return `Removed the key of profile${removed.length > 1 ? 's' : ''} ${list(removed)}.`;
  }
  return asked.length === 1
    ? `No key is stored for profile ${list(asked)}.`
    : 'No key is stored for any profile.';
}
