import type { Handler } from '../../context.js';
import { installation } from './installation.js';
import type { update } from './index.js';

export const run: Handler<typeof update> = async ({ flags, out, version }) => {
  const { by, path, command, download = null } = installation();
  if (flags.json) return out.json({ version, by, path, command, download });
  const first = download === null ? '' : `, download ${download} of the new release; then`;
  out.note(`svc ${version}, installed with ${by} in ${path}. To update it${first}:`);
  await out.line(command);
};
