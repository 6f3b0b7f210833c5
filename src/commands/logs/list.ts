/** Lists turns and conversations, and adds up what turns cost. */
import type { Context, Handler } from '../../context.js';
import { plainText } from '../../lib/plain-text.js';
import { Log, type Turn } from '../../state/log.js';
import type { TurnFilter } from '../../state/turn-filter.js';
import { titles } from '../../terminal/types.js';
import { countCell, distanceCell, rubCell } from '../cells.js';
import { showFields } from '../fields.js';
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
    sinceMs: momentOf('--since', since, clock.now()),
    conversation: conversation === undefined ? undefined : entryOf(log, conversation).conversation,
  };
  await fillPrices(context, log, filter, options.sum ? undefined : limit);
  if (options.sum) return showFields(context, log.totals(filter));
  const turns = log.turns(filter, limit);
  if (flags.json) return out.json(await Promise.all(turns.map((turn) => turnJson(log, turn))));
  const columns = titles(
    'ID',
    { title: 'TIME', drop: 1 },
    { title: 'CONVERSATION', min: 12, drop: 3 },
    { title: 'MODEL', min: 12, drop: 4 },
    { title: '>TOKENS', drop: 5 },
    { title: '>PRICE', drop: 2 },
    { title: 'QUESTION', min: 20 },
  );
  const rows = turns.map((turn) => rowOf(context, turn));
  await out.table(columns, rows);
  if (turns.length === 0) out.note('no turns found');
  if ((out.isTerminal || out.isForAgent) && turns.length === limit)
    out.note(`older turns: --limit ${limit * 5}`);
};

function rowOf(context: Context, turn: Turn): string[] {
  const { inputTokens, outputTokens, priceRub } = turn;
  const isCounted = inputTokens !== null || outputTokens !== null;
  return [
    String(turn.id),
    distanceCell(context, turn.atMs),
    turn.name ?? `c${turn.conversation}`,
    turn.model,
    isCounted ? countCell(context, (inputTokens ?? 0) + (outputTokens ?? 0)) : '-',
    priceRub === null ? '-' : rubCell(context, priceRub),
    plainText(turn.question, 500),
  ];
}

export const conversations: Handler<typeof declared.conversations> = async (context, input) => {
  const { flags, out, paths } = context;
  const latest = new Log(paths).conversations(input.options.limit ?? usualLimit);
  if (flags.json) {
    const lines = latest.map(({ id, name, turns, changedAtMs, question }) => {
      const changedAt = new Date(changedAtMs).toISOString();
      return { id: `c${id}`, name, turns, changedAt, question };
    });
    return out.json(lines);
  }
  const rows = latest.map(({ id, name, turns, changedAtMs, question }) => {
    const changed = distanceCell(context, changedAtMs);
    return [`c${id}`, name ?? '', String(turns), changed, plainText(question ?? '', 500)];
  });
  const columns = titles(
    'ID',
    { title: 'NAME', min: 12, drop: 1 },
    { title: '>TURNS', drop: 2 },
    { title: 'LAST', drop: 3 },
    { title: 'FIRST QUESTION', min: 20 },
  );
  await out.table(columns, rows);
  if (rows.length === 0) out.note('no conversations');
};
