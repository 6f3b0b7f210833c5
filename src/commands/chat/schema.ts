/** Turns whose answer must fit a schema. */
import { Answer } from '../../api/chat/answer.js';
import type { Piece } from '../../api/chat/pieces.js';
import type { Client } from '../../api/client.js';
import type { Context } from '../../cli/context.js';
import { Incomplete } from '../../errors.js';
import { parsedJson, recordOf, type JsonRecord } from '../../lib/json.js';
import type { End, Show } from './show.js';
import { runTurns, type Turn } from './turn.js';

/** @throws Incomplete when the answer, which has been shown, does not fit */
export async function runChecked(context: Context, client: Client, turn: Turn, repairs: boolean) {
  const faults = await (repairs ? repaired : checked)(context, client, turn);
  if (faults === '') return;
  const hint = repairs ? undefined : '--repair asks the model once more';
  const message = `the answer does not fit the schema: ${faults}`;
  throw new Incomplete(message, { code: 'schema_mismatch', hint });
}

async function checked(context: Context, client: Client, turn: Turn): Promise<string> {
  const { text, toolCalls } = (await runTurns(context, client, turn)).answer;
  if (text === '' && toolCalls.length > 0) return '';
  const faults = await faultsIn(text, recordOf(turn.question.schema?.schema));
  if (!faults) context.out.note('The answer was not checked: its schema is too complex.');
  return faults?.join(', ') ?? '';
}

/** Holds the first answer back until it is known to fit. */
async function repaired(context: Context, client: Client, turn: Turn): Promise<string> {
  const { question, show } = turn;
  const pieces: Piece[] = [];
  let first: End = { cost: {}, ids: {} };
  const finish = (end: End) => {
    first = end;
    return Promise.resolve();
  };
  // It bounds what is held back.
  const kept = new Answer(true, true);
  const take = (piece: Piece) => {
    kept.add(piece);
    pieces.push(piece);
  };
  const held: Show = { ...show, kept, take, finish };
  const faults = await checked(context, client, { ...turn, show: held });
  if (faults === '') {
    for (const piece of pieces) {
      show.take(piece);
      await show.pace();
    }
    await show.flush();
    await show.finish(first);
    return faults;
  }
  context.out.note(`The answer does not fit the schema: ${faults}. Asking once more.`);
  const words = `This does not fit the JSON Schema: ${faults}. Answer with the corrected JSON only.`;
  const again = {
    ...question,
    messages: undefined,
    parts: [{ type: 'text', text: words } as const],
  };
  const ofBoth = (end: End): End => {
    const [before, after] = [first.cost.priceRub, end.cost.priceRub];
    const priceRub = before === undefined || after === undefined ? undefined : before + after;
    return { ...end, cost: { ...end.cost, priceRub }, repaired: true };
  };
  const last: Show = {
    ...show,
    finish: (end) => show.finish(ofBoth(end)),
    fail: async (end, error) => {
      await show.fail(ofBoth(end), error);
      // It has been paid for.
      if (!context.flags.json) context.out.error(kept.text);
    },
  };
  return checked(context, client, { ...turn, question: again, show: last });
}

/** What does not fit; undefined where that cannot be checked. */
async function faultsIn(answer: string, schema: JsonRecord) {
  const value = parsedJson(answer);
  if (value === undefined) return ['it is not JSON'];
  // All drafts are read as 2020-12.
  const rules = { ...schema, $schema: undefined, $async: undefined };
  const { faultsOf } = await import('../../lib/schema-faults.js');
  return faultsOf((ajv) => ajv.validate(rules, value));
}
