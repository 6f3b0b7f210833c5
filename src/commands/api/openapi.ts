import { call } from '../../api/call.js';
import type { Handler } from '../../cli/declaration.js';
import { getOpenApi } from '../../contract/account.js';
import { PartFile } from '../../files/part-file.js';
import type { openapi } from './index.js';

/** Prints the description as it came, or writes it to a file. */
export const run: Handler<typeof openapi> = async ({ client, clock, out }, { options }) => {
  const { output = '-', force = false } = options;
  const connected = await client({ key: 'optional' });
  if (output === '-') {
    const { data } = await call(connected, getOpenApi, {});
    await out.json(data);
    return;
  }
  const file = await PartFile.open({ kind: 'file', path: output, replace: force }, { clock });
  try {
    const { data } = await call(connected, getOpenApi, {});
    await file.write(`${JSON.stringify(data, undefined, 2)}\n`);
  } catch (error) {
    await file.abandon();
    throw error;
  }
  await file.finish();
  out.note(`wrote ${output}`);
};
