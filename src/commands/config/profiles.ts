import type { Handler } from '../../cli/declaration.js';
import { configFile, profileNames, readConfig, storedProfile } from '../../state/config.js';
import { maskKey } from '../../state/rules.js';
import { profileName } from '../../state/settings.js';
import type { profiles } from './index.js';

/** Lists the profiles of the config file, the one in use marked. */
export const run: Handler<typeof profiles> = async ({ env, flags, out, paths, onward }) => {
  const config = readConfig(paths);
  const inUse = profileName(config, flags, env).value;
  const found = profileNames(config).map((name) => {
    const { base_url: baseUrl, key } = storedProfile(config, name, configFile(paths));
    return { name, inUse: name === inUse, baseUrl, key: key === undefined ? key : maskKey(key) };
  });
  if (flags.json) {
    await out.json(found);
    return;
  }
  if (found.length === 0) out.note(onward('There are no profiles yet; svc login makes one.'));
  await out.table(
    [{ title: 'PROFILE' }, { title: 'BASE URL' }, { title: 'KEY' }, { title: 'IN USE' }],
    found.map(({ name, baseUrl = '', key = '', inUse: marked }) => [
      name,
      baseUrl,
      key,
      marked ? 'yes' : '',
    ]),
  );
};
