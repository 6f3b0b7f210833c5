/** Asks the user of an agent before a call costs much. */
import { NotConfirmed } from '../../errors.js';
import { formatRub } from '../../lib/amounts.js';
import { recordOf, type JsonRecord } from '../../lib/json.js';
import { plainText } from '../../lib/plain-text.js';
import type { CallCost, Consent } from '../../spending/purse.js';
import type { RunSpending } from '../../spending/spending.js';

/** One field, so that a client can show a switch; only `true` is consent. */
const requestedSchema = {
  type: 'object',
  properties: { ok: { type: 'boolean', title: 'Spend it', default: false } },
  required: ['ok'],
};

/** The consent of the user to what one call costs. */
export class UserConsent implements Consent {
  /** Whether there was none, after requests of the same call that may have been paid for. */
  isLate = false;

  constructor(
    readonly freeRub: number,
    private readonly tool: string,
    private readonly client: (form: object) => Promise<JsonRecord>,
    private readonly all: () => Promise<RunSpending>,
  ) {}

  async ask(model: string, { earlierRub, sumRub, mostRub }: CallCost): Promise<void> {
    const { ceilingLeftRub } = await this.all();
    const part = earlierRub > 0 ? `, ${formatRub(earlierRub)} of it before` : '';
    const whole = mostRub > sumRub ? `, and with all its requests ${amount(mostRub)}` : '';
    const left =
      ceilingLeftRub < Infinity
        ? `; ${formatRub(ceilingLeftRub)} are left for all calls of this server`
        : '';
    const what = `${this.tool} with ${plainText(model, 100)} may cost ${amount(sumRub)}${part}${whole}`;
    const why = await this.#whyNot(`${what}${left}. Spend it?`);
    if (why === undefined) return;
    this.isLate = earlierRub > 0;
    const outcome = earlierRub > 0 ? 'this request was not sent' : 'nothing was spent';
    throw new NotConfirmed(`${what}, and ${why}; ${outcome}`, {
      hint: 'make something cheaper, set maxCost, or call it again only if the user wants it',
    });
  }

  /** @returns why the user has not agreed; undefined for consent */
  async #whyNot(message: string): Promise<string | undefined> {
    try {
      const { action, content } = await this.client({ message, requestedSchema });
      if (action === 'decline') return 'the user declined';
      if (action !== 'accept') return 'the user did not answer';
      return recordOf(content)['ok'] === true ? undefined : 'the user did not agree';
    } catch (error) {
      return error instanceof Error ? error.message : 'the user could not be asked';
    }
  }
}

const amount = (rub: number) =>
  rub < Infinity ? `up to ${formatRub(rub)}` : 'an amount that is not known before';
