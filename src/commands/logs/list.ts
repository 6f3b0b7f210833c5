/** Lists turns and conversations, and adds up what turns cost. */
import type { Context, Handler } from '../../context.js';
import { plainText } from '../../lib/plain-text.js';
import { Log, type Turn } from '../../state/log.js';
import type { TurnFilter } from '../../state/turn-filter.js';
import { countCell, distanceCell, rubCell } from '../cells.js';
import { showFields } from '../fields.js';
import { listView, writeList, type ListView } from '../listing.js';
import { momentOf } from '../moment.js';
import { usualLimit } from './index.js';
import type * as declared from './index.js';
import { fillPrices } from './prices.js';
import { entryOf, turnJson } from './turns.js';

export const list: Handler<typeof declared.list> = async (context, { args, options }) => {
  const { flags, out, clock } = context;
  const { since, conversation, limit = usualLimit } = options;
  const log = new Log(context.paths);
  const filter: TurnFilter = {
    words: args.words.join(' '),
    model: options.model,
    program: options.program,
    sinceMs: momentOf('--since', since, clock.now()),
    conversation: conversation === undefined ? undefined : entryOf(log, conversation).conversation,
  };
  if (options.sum) {
    await fillPrices(context, log, filter);
    const { turns, unknownPrices, priceRub, ...usage } = log.totals(filter);
    if (flags.json) return out.json({ turns, usage, cost: { priceRub }, unknownPrices });
    return showFields(context, { turns, ...usage, priceRub, unknownPrices });
  }
  let turns = log.turns(filter, limit);
  if (await fillPrices(context, log, filter, turns)) turns = log.turns(filter, limit);
  const json = flags.json && (await Promise.all(turns.map((turn) => turnJson(log, turn))));
  await writeList(context, turnView(context), { items: turns, json });
  if ((out.isTerminal || out.isForAgent) && turns.length === limit)
    out.note(`older turns: --limit ${limit * 5}`);
};

function turnView(context: Context): ListView<Turn> {
  const tokens = ({ inputTokens, outputTokens }: Turn) => {
    const isCounted = inputTokens !== null || outputTokens !== null;
    return isCounted ? countCell(context, (inputTokens ?? 0) + (outputTokens ?? 0)) : '-';
  };
  return listView<Turn>(
    [
      ['ID', ({ id }) => String(id)],
      [{ title: 'TIME', drop: 1 }, ({ atMs }) => distanceCell(context, atMs)],
      [
        { title: 'CONVERSATION', min: 12, drop: 3 },
        ({ name, conversation }) => name ?? `c${conversation}`,
      ],
      [{ title: 'MODEL', min: 12, drop: 4 }, ({ model }) => model],
      [{ title: '>TOKENS', drop: 5 }, tokens],
      [
        { title: '>PRICE', drop: 2 },
        ({ priceRub }) => (priceRub === null ? '-' : rubCell(context, priceRub)),
      ],
      [
        { title: 'QUESTION', min: 20 },
        ({ program, question }) =>
          (program ? `[${plainText(program)}] ` : '') + plainText(question, 500),
      ],
    ],
    'no turns found',
  );
}

export const conversations: Handler<typeof declared.conversations> = async (context, input) => {
  const latest = new Log(context.paths).conversations(input.options.limit ?? usualLimit);
  const view = listView<(typeof latest)[number]>(
    [
      ['ID', ({ id }) => `c${id}`],
      [{ title: 'NAME', min: 12, drop: 1 }, ({ name }) => name],
      [{ title: '>TURNS', drop: 2 }, ({ turns }) => String(turns)],
      [{ title: 'LAST', drop: 3 }, ({ changedAtMs }) => distanceCell(context, changedAtMs)],
      [{ title: 'FIRST QUESTION', min: 20 }, ({ question }) => plainText(question ?? '', 500)],
    ],
    'no conversations',
  );
  const json = latest.map(({ id, name, turns, changedAtMs, question }) => {
    const changedAt = new Date(changedAtMs).toISOString();
    return { id: `c${id}`, name, turns, changedAt, question };
  });
  await writeList(context, view, { items: latest, json });
};
