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
  try {
    const { data } = await call(connected, getOpenApi, {});
    await (file ? file.write(`${JSON.stringify(data, undefined, 2)}\n`) : out.json(data));
  } catch (error) {
    await file?.abandon();
    throw error;
  }
  if (!file) return;
  await file.finish();
  out.note(`wrote ${output}`);
};
