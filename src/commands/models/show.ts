import { call } from '../../api/call.js';
import type { Handler } from '../../cli/declaration.js';
import { getModel } from '../../contract/models.js';
import { isRecord } from '../../lib/json.js';
import type { show } from './index.js';

/** Shows one model; its shape is not shown in section 4.10, so each field is told as it came. */
export const run: Handler<typeof show> = async ({ client, flags, out }, { args }) => {
  const { data } = await call(await client(), getModel, { params: { id: args.id } });
  if (flags.json || !isRecord(data)) {
    await out.json(data);
    return;
  }
  await out.table(
    [{ title: 'FIELD' }, { title: 'VALUE' }],
    Object.entries(data).map(([field, value]) => [
      field,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
};
