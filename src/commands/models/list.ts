import { call } from '../../api/call.js';
import type { Handler } from '../../cli/declaration.js';
import { listModels } from '../../contract/models.js';
import { textOf } from '../../lib/json.js';
import type { list } from './index.js';

/** Lists the models: id and type, one line each. */
export const run: Handler<typeof list> = async ({ client, flags, out }, { options }) => {
  const { data } = await call(await client(), listModels, {
    query: {
      variants: options.variants ? '1' : undefined,
      all: options.all ? 'true' : undefined,
      type: options.type,
    },
  });
  if (flags.json) {
    await out.json(data);
    return;
  }
  if (data.data.length === 0) out.note('no models');
  await out.table(
    [{ title: 'MODEL' }, { title: 'TYPE' }],
    // Section 2.6 does not show the field's name; where there is none the column stays empty.
    data.data.map((model) => [model.id, textOf(model['type']) ?? '']),
  );
};
