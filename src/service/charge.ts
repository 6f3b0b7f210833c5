/** Whole micro-roubles, so that rounding creates and loses nothing, and charging them. */
import type { App, Call } from './call.js';
import { ServiceFailure } from './failure.js';
import { balanceMicroRub } from './store/accounts.js';
import type { Job } from './store/tables.js';
import { debit, debitTogether, type Usage } from './store/usage.js';

export function newUsage(
  { newId }: App,
  facts: Pick<Usage, 'model' | 'route' | 'priceMicroRub' | 'createdAtMs'>,
): Usage {
  return { id: `gen_${newId()}`, promptTokens: 0, completionTokens: 0, ...facts };
}

export function jobUsage(
  app: App,
  { model, channel, priceMicroRub }: Pick<Job, 'model' | 'channel' | 'priceMicroRub'>,
  createdAtMs: number,
): Usage {
  return newUsage(app, { model, route: `:${channel}`, priceMicroRub, createdAtMs });
}

/** Charges for a call or `what`; the answer names the record. */
export function charge(call: Call, usage: Usage, what = 'call'): void {
  recordCharge(call, usage, debit(call.app.store, call.caller, usage), what);
}

/** Charges for a call in one write with the calls that arrived with it. */
export async function chargeTogether(call: Call, usage: Usage): Promise<void> {
  recordCharge(call, usage, await debitTogether(call.app.store, call.caller, usage), 'call');
}

function recordCharge(call: Call, usage: Usage, isPaid: boolean, what: string): void {
  const { app, caller } = call;
  const { id, priceMicroRub } = usage;
  if (!isPaid) throw tooLittle(balanceMicroRub(app.store, caller.accountId), priceMicroRub, what);
  call.usageId = id;
  call.chargedRub = toRub(priceMicroRub);
}

export function tooLittle(balanceMicroRub: number, priceMicroRub: number, what: string) {
  const [price, balance] = [toRub(priceMicroRub), toRub(balanceMicroRub)];
  const message = `the balance of ${balance} RUB is too low: this ${what} costs ${price} RUB`;
  const fields = { price_rub: price, balance_rub: balance };
  return new ServiceFailure(402, 'insufficient_balance', message, { fields });
}

const microRubPerRub = 1_000_000;

/** Roubles to micro-roubles; accepts only finite amounts of at least zero. */
export function toMicroRub(rub: number): number {
  const microRub = Math.round(rub * microRubPerRub);
  if (!Number.isSafeInteger(microRub) || microRub < 0) {
    throw new RangeError(`not an amount in RUB: ${rub}`);
  }
  return microRub;
}

export function toRub(microRub: number): number {
  return microRub / microRubPerRub;
}
