/** Turns whose answer must fit a schema. */
import { Answer } from '../../api/chat/answer.js';
import type { Piece } from '../../api/chat/pieces.js';
import type { Client } from '../../api/client.js';
import type { Context } from '../../context.js';
import { Incomplete } from '../../errors.js';
import { parsedJson, recordOf, type JsonRecord } from '../../lib/json.js';
import type { End, Show } from './show.js';
import { runTurns, type Turn } from './turn.js';

/** What does not fit, or nothing. */
interface Checked {
  readonly faults: string;
  /** Why it could not be checked. */
  readonly unchecked?: string;
}

/** @throws Incomplete when the answer, which has been shown, does not fit, or cannot be checked */
export async function runChecked(context: Context, client: Client, turn: Turn, repairs: boolean) {
  const { faults, unchecked } = await (repairs ? repaired : checked)(context, client, turn);
  if (unchecked !== undefined) {
    const hint = 'check it against the schema yourself: another answer costs again';
    const message = `the answer was not checked: ${unchecked}`;
    throw new Incomplete(message, { code: 'answer_unchecked', hint });
  }
  if (faults === '') return;
  const hint = repairs ? undefined : '--repair asks the model once more';
  const message = `the answer does not fit the schema: ${faults}`;
  throw new Incomplete(message, { code: 'schema_mismatch', hint });
}

async function checked(context: Context, client: Client, turn: Turn): Promise<Checked> {
  const { text, toolCalls } = (await runTurns(context, client, turn)).answer;
  if (text === '' && toolCalls.length > 0) return { faults: '' };
  return faultsIn(text, recordOf(turn.question.schema?.schema));
}

/** Holds the first answer back until it is known to fit. */
async function repaired(context: Context, client: Client, turn: Turn): Promise<Checked> {
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
  const found = await checked(context, client, { ...turn, show: held });
  const { faults } = found;
  if (faults === '') {
    for (const piece of pieces) {
      show.take(piece);
      await show.pace();
    }
    await show.flush();
    await show.finish(first);
    return found;
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

async function faultsIn(answer: string, schema: JsonRecord): Promise<Checked> {
  const value = parsedJson(answer);
  if (value === undefined) return { faults: 'it is not JSON' };
  // All drafts are read as 2020-12.
  const rules = { ...schema, $schema: undefined, $async: undefined };
  const { faultsOf } = await import('../../lib/schema-faults.js');
  const [unusable] = faultsOf((ajv) => ajv.compile(rules)) ?? [];
  if (unusable !== undefined) return { faults: '', unchecked: `its schema: ${unusable}` };
  const faults = faultsOf((ajv) => ajv.validate(rules, value));
  if (!faults) return { faults: '', unchecked: 'the check timed out' };
  return { faults: faults.join(', ') };
}
