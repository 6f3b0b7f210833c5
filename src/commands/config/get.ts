import type { Handler } from '../../cli/declaration.js';
import { UsageError } from '../../errors.js';
import type { get } from './index.js';
import { shownNameFrom, shownValue } from './values.js';

/** Prints one setting in force. */
export const run: Handler<typeof get> = async (context, { args, options }) => {
  const { flags, out } = context;
  const name = shownNameFrom(args.name);
  const settings = context.settings();
  const { value, source } = shownValue(settings, name, options.reveal === true);
  if (value === undefined) {
    throw new UsageError(
      (name === 'key' ? settings.keyWithheld : undefined) ?? `${name} is not set`,
      {
        hint: name === 'key' ? 'svc login' : `svc config set ${name} VALUE`,
        code: 'not_set',
      },
    );
  }
  await (flags.json ? out.json({ name, value, source }) : out.line(String(value)));
};
