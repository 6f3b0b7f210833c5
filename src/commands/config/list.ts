import type { Handler } from '../../cli/declaration.js';
import { configFile } from '../../state/config.js';
import type { list } from './index.js';
import { shownNames, shownValue, sourceName } from './values.js';

/** Shows every setting in force, the key masked. */
export const run: Handler<typeof list> = async (context) => {
  const { flags, out, paths } = context;
  const settings = context.settings();
  const values = shownNames.map((name) => shownValue(settings, name));
  if (flags.json) {
    const shown = values.map(({ name, value = null, source = null }): [string, unknown] => [
      name,
      { value, source },
    ]);
    await out.json({
      configFile: configFile(paths),
      settings: Object.fromEntries(shown),
      ...(settings.keyWithheld === undefined ? {} : { keyWithheld: settings.keyWithheld }),
    });
    return;
  }
  await out.table(
    [{ title: 'SETTING' }, { title: 'VALUE' }, { title: 'FROM' }],
    values.map(({ name, value = '', source }) => [
      name,
      String(value),
      name === 'key' && settings.keyWithheld !== undefined ? 'withheld' : sourceName(name, source),
    ]),
  );
  if (settings.keyWithheld !== undefined) out.note(`The key is withheld: ${settings.keyWithheld}.`);
};
