/** Turns whose answer must fit a schema. */
import { Answer } from '../api/chat/answer.js';
import type { Piece } from '../api/chat/pieces.js';
import type { Context } from '../context.js';
import { Incomplete } from '../errors.js';
import { parsedJson, recordOf, type JsonRecord } from '../lib/json.js';
import type { Turn, TurnResult } from './turn.js';
import type { AnswerView, TurnEnd } from './view.js';

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
  const hint = repairs ? undefined : '--repair asks the model once more';
  const message = `the answer does not fit the schema: ${faults}`;
  throw new Incomplete(message, { code: 'schema_mismatch', hint });
}

async function checkedAnswer(turn: Turn, ask: Ask): Promise<Check> {
  const { text, toolCalls } = (await ask(turn)).answer;
  if (text === '' && toolCalls.length > 0) return { faults: '' };
  return checkOf(text, recordOf(turn.question.schema?.schema));
}

async function askRepaired(context: Context, turn: Turn, ask: Ask): Promise<Check> {
  const view = new RepairView(context, turn.view);
  const first = await checkedAnswer({ ...turn, view }, ask);
  const { faults } = first;
  if (faults === '') {
    await view.show();
    return first;
  }
  context.out.note(`The answer does not fit the schema: ${faults}. Asking once more.`);
  view.repair();
  const words = `This does not fit the JSON Schema: ${faults}. Answer with the corrected JSON only.`;
  const parts = [{ type: 'text', text: words }] as const;
  const question = { ...turn.question, messages: undefined, parts };
  return checkedAnswer({ ...turn, view, question }, ask);
}

/** Holds the first answer back until it is known to fit; the second one is shown as it arrives. */
class RepairView implements AnswerView {
  /** The first answer. It bounds what is held back. */
  readonly #first = new Answer(true, true);
  readonly #pieces: Piece[] = [];
  #firstEnd: TurnEnd = { cost: {}, ids: {} };
  #isHolding = true;

  constructor(
    private readonly context: Context,
    private readonly view: AnswerView,
  ) {}

  get answer() {
    return this.#isHolding ? this.#first : this.view.answer;
  }
  get showsCost() {
    return this.view.showsCost;
  }
  wait = (model: string) => this.view.wait(model);
  prepare = () => this.view.prepare();
  pace = () => this.view.pace();
  flush = () => this.view.flush();
  interruption = () => this.view.interruption();

  add(piece: Piece): void {
    if (this.#isHolding) {
      this.#first.add(piece);
      this.#pieces.push(piece);
    } else {
      this.view.add(piece);
    }
  }

  async continue(): Promise<void> {
    if (!this.#isHolding) await this.view.continue();
  }

  async finish(end: TurnEnd): Promise<void> {
    if (this.#isHolding) this.#firstEnd = end;
    else await this.view.finish(this.#ofBoth(end));
  }

  async fail(end: TurnEnd, error: unknown): Promise<void> {
    if (this.#isHolding) return this.view.fail(end, error);
    await this.view.fail(this.#ofBoth(end), error);
    // It has been paid for.
    if (!this.context.flags.json) this.context.out.error(this.#first.text);
  }

  /** Shows the first answer. */
  async show(): Promise<void> {
    for (const piece of this.#pieces) {
      this.view.add(piece);
      await this.view.pace();
    }
    await this.view.flush();
    await this.view.finish(this.#firstEnd);
  }

  /** What follows is the second answer. */
  repair(): void {
    this.#isHolding = false;
  }

  #ofBoth(end: TurnEnd): TurnEnd {
    const [before, after] = [this.#firstEnd.cost.priceRub, end.cost.priceRub];
    const priceRub = before === undefined || after === undefined ? undefined : before + after;
    return { ...end, cost: { ...end.cost, priceRub }, repaired: true };
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
