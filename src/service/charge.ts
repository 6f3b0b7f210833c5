/** Taking the price of a call. */
import type { Call } from './call.js';
import { ServiceFailure } from './failure.js';
import { toRub } from './money.js';
import { debit, type Usage } from './store/usage.js';

/**
 * Takes the price and writes the usage record.
 * @returns the header that names the record
 * @throws ServiceFailure 402 when the balance is too low; nothing was done then
 */
export function charge({ house, caller }: Call, usage: Usage): Readonly<Record<string, string>> {
  const { paid, balanceMicroRub } = debit(house.store, caller, usage);
  if (!paid) {
    const [price, balance] = [toRub(usage.priceMicroRub), toRub(balanceMicroRub)];
    throw new ServiceFailure(
      402,
      'insufficient_balance',
      `the balance of ${balance} RUB is too low: this call costs ${price} RUB`,
      { fields: { price_rub: price, balance_rub: balance } },
    );
  }
  return { [house.brand.header('generation-id')]: usage.id };
}
