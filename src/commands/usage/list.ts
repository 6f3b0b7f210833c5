import { call } from '../../api/call.js';
import type { Handler } from '../../cli/declaration.js';
import { listUsage } from '../../contract/billing.js';
import { formatRub } from '../../lib/money.js';
import type { list } from './index.js';

/** Lists usage records, one a line. */
export const run: Handler<typeof list> = async ({ client, flags, out }, { options }) => {
  const { page, limit } = options;
  const { data } = await call(await client(), listUsage, {
    query: { page, limit },
  });
  if (flags.json) {
    await out.json(data);
    return;
  }
  if (data.data.length === 0) out.note('no usage records');
  await out.table(
    [
      { title: 'TIME' },
      { title: 'MODEL' },
      { title: 'IN', align: 'right' },
      { title: 'OUT', align: 'right' },
      { title: 'PRICE', align: 'right' },
      { title: 'ID' },
    ],
    data.data.map((record) => [
      record.createdAt ?? '',
      record.model ?? '',
      numberText(record.promptTokens),
      numberText(record.completionTokens),
      typeof record.priceRub === 'number' ? formatRub(record.priceRub) : '',
      record.id,
    ]),
  );
};

function numberText(value: number | null | undefined): string {
  return value === null || value === undefined ? '' : String(value);
}
