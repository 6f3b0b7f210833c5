import type { Handler } from '../../cli/declaration.js';
import { installation } from './installation.js';
import type { update } from './index.js';

export const run: Handler<typeof update> = async ({ flags, out, version }) => {
  const { by, path, command } = installation();
  if (flags.json) return out.json({ version, by, path, command });
  out.note(`svc ${version}, installed with ${by} in ${path}. To update it:`);
  await out.line(command);
};
