import type { Handler } from '../../cli/declaration.js';
import { rawProfile } from '../../state/config.js';
import { updateConfig } from '../../state/config-write.js';
import { unknownProfile } from '../../state/settings.js';
import type { use } from './index.js';

/** Makes an existing profile the usual one. */
export const run: Handler<typeof use> = async (context, { args: { profile } }) => {
  const { env, flags, out, paths } = context;
  await updateConfig(paths, context, (config) => {
    if (!rawProfile(config, profile)) throw unknownProfile(profile, config);
    config.profile = profile;
  });
  if (flags.json) await out.json({ profile });
  else out.note(`Profile "${profile}" is the usual one now.`);
  const override = env['SVC_PROFILE'];
  if (override && override !== profile) out.warn(`SVC_PROFILE is set and names "${override}"`);
};
