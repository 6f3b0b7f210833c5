/** Turns whose answer must fit a schema. */
import { Answer } from '../api/chat/answer.js';
import type { Context } from '../context.js';
import { Incomplete } from '../errors.js';
import { parsedJson, recordOf, type JsonRecord } from '../lib/json.js';
import type { HeldAnswer, Turn, TurnResult } from './turn.js';
import type { TurnEnd } from './view.js';

type Ask = (turn: Turn) => Promise<TurnResult>;

/** How an answer differs from its schema, if at all. */
interface Check {
  /** What does not fit, or nothing. */
  readonly faults: string;
  /** Why it could not be checked. */
  readonly unchecked?: string;
}

/**
 * @param repairs whether the model is asked once more
 * @throws Incomplete when the answer, which has been shown, does not fit, or cannot be checked
 */
export async function askChecked(context: Context, turn: Turn, repairs: boolean, ask: Ask) {
  const check = repairs ? askRepaired(context, turn, ask) : checkedAnswer(turn, ask);
  const { faults, unchecked } = await check;
  if (unchecked !== undefined) {
    const hint = 'check it against the schema yourself: another answer costs again';
    const message = `the answer was not checked: ${unchecked}`;
    throw new Incomplete(message, { code: 'answer_unchecked', hint });
  }
  if (faults === '') return;
  const hint = repairs ? undefined : '--ask-again asks the model once more';
  const message = `the answer does not fit the schema: ${faults}`;
  throw new Incomplete(message, { code: 'schema_mismatch', hint });
}

async function checkedAnswer(turn: Turn, ask: Ask): Promise<Check> {
  const { text, toolCalls } = (await ask(turn)).answer;
  if (text === '' && toolCalls.length > 0) return { faults: '' };
  return checkOf(text, recordOf(turn.question.schema?.schema));
}

/** Holds the first answer back until it is known to fit. */
async function askRepaired(context: Context, turn: Turn, ask: Ask): Promise<Check> {
  const { view } = turn;
  const held: HeldAnswer = {
    pieces: [],
    end: { cost: {}, ids: {} },
    answer: new Answer(true, true),
  };
  const first = await checkedAnswer({ ...turn, held }, ask);
  const { faults } = first;
  if (faults === '') {
    for (const piece of held.pieces) {
      view.add(piece);
      await view.pace();
    }
    await view.flush();
    await view.finish(held.end);
    return first;
  }
  context.out.note(`The answer does not fit the schema: ${faults}. Asking once more.`);
  const words = `This does not fit the JSON Schema: ${faults}. Answer with the corrected JSON only.`;
  const parts = [{ type: 'text', text: words }] as const;
  const question = { ...turn.question, messages: undefined, parts };
  let failure: unknown;
  const total = (end: TurnEnd, error?: unknown): TurnEnd => {
    failure = error;
    const [before, after] = [held.end.cost.priceRub, end.cost.priceRub];
    const priceRub = before === undefined || after === undefined ? undefined : before + after;
    const cached = held.end.cost.cached && end.cost.cached;
    return { ...end, cost: { ...end.cost, priceRub, cached }, repaired: true };
  };
  try {
    return await checkedAnswer({ ...turn, question, total }, ask);
  } catch (error) {
    // The first answer has been paid for.
    if (failure !== undefined && !context.flags.json) context.out.error(held.answer.text);
    throw error;
  }
}

async function checkOf(answer: string, schema: JsonRecord): Promise<Check> {
  const value = parsedJson(answer);
  if (value === undefined) return { faults: 'it is not JSON' };
  // All drafts are read as 2020-12.
  const rules = { ...schema, $schema: undefined, $async: undefined };
  const { faultsOf } = await import('../lib/schema-faults.js');
  const [unusable] = faultsOf((ajv) => ajv.compile(rules)) ?? [];
  if (unusable !== undefined) return { faults: '', unchecked: `its schema: ${unusable}` };
  const faults = faultsOf((ajv) => ajv.validate(rules, value));
  if (!faults) return { faults: '', unchecked: 'the check timed out' };
  return { faults: faults.join(', ') };
}
