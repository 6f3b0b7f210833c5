import type { Handler } from '../../cli/declaration.js';
import { configFile } from '../../state/config.js';
import type { path } from './index.js';

/** Prints where the config file is, or would be; it need not be readable. */
export const run: Handler<typeof path> = async ({ flags, out, paths }) => {
  const file = configFile(paths);
  if (flags.json) await out.json({ config: file, data: paths.data, cache: paths.cache });
  else await out.line(file);
};
