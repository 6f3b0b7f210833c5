import { call } from '../../api/call.js';
import type { Handler } from '../../context.js';
import { getOpenApi } from '../../contract/account.js';
import { PartFile } from '../../files/part-file.js';
import type { openapi } from './index.js';

export const run: Handler<typeof openapi> = async ({ client, out }, { options }) => {
  const { output = '-', force = false } = options;
  const connected = await client({ key: 'optional' });
  const target = { kind: 'file', path: output, replace: force } as const;
  const file = output === '-' ? undefined : await PartFile.open(target);
  const asking = () => call(connected, getOpenApi, {});
  const { data } = await (file ? file.orAbandon(asking) : asking());
  if (!file) return out.json(data);
  await file.fill({}, (take) => take(Buffer.from(`${JSON.stringify(data, undefined, 2)}\n`)));
  out.note(`wrote ${output}`);
};
