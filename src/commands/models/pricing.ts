import { call } from '../../api/call.js';
import { modelFacts, priceWords } from '../../api/model-facts.js';
import { entriesIn } from '../../api/models.js';
import type { Handler } from '../../cli/declaration.js';
import { getPricing } from '../../contract/models.js';
import { showFields, valueText } from '../fields.js';
import type { pricing } from './index.js';
import { chosen, type Listed } from './listing.js';

/** Shows the prices of text models and of the calls of tools (section 4.2). */
export const run: Handler<typeof pricing> = async (context, { options }) => {
  const { flags, out } = context;
  const { data } = await call(await context.client(), getPricing, {});
  const { data: priced, tools, ...rest } = data;
  const models = chosen(listedIn(priced), options);
  const calls = chosen(listedIn(tools), options);
  const isUnknown = listedIn(priced).length === 0 && listedIn(tools).length === 0;
  if (flags.json || isUnknown) {
    const isWhole = isUnknown || (options.match.length === 0 && options.sort === undefined);
    await showFields(
      context,
      isWhole ? data : { ...rest, data: models.map(entryOf), tools: calls.map(entryOf) },
    );
    return;
  }
  if (models.length + calls.length === 0) out.note('no prices');
  const columns = [{ title: 'MODEL' }, { title: 'TYPE' }, { title: 'PRICE' }, { title: 'OTHER' }];
  await out.table(columns, [
    ...models.map((one) => rowOf(one, '')),
    ...calls.map((one) => rowOf(one, 'tool')),
  ]);
};

function listedIn(list: unknown): Listed[] {
  const entries = entriesIn(list)?.entries ?? [];
  return entries.map((entry) => ({ entry, facts: modelFacts(entry) }));
}

function entryOf({ entry }: Listed): unknown {
  return entry;
}

/** What has no column of its own stands at the end, by name. */
function rowOf({ facts }: Listed, type: string): string[] {
  const { id, about, channels, rest } = facts;
  const other = { ...rest, ...(about === undefined ? {} : { about }) };
  return [
    id,
    facts.type ?? type,
    priceWords(facts.amounts),
    [
      ...channels.map((channel) => channel.id),
      ...Object.entries(other).map(([name, value]) => `${name}=${valueText(value)}`),
    ].join(' '),
  ];
}
