/** Money is counted in whole micro-roubles: no rounding can create or lose any. */

const microRubPerRub = 1_000_000;

/** Roubles to micro-roubles; rejects what is no finite amount of at least zero. */
export function toMicroRub(rub: number): number {
  const microRub = Math.round(rub * microRubPerRub);
  if (!Number.isSafeInteger(microRub) || microRub < 0) {
    throw new RangeError(`not an amount in RUB: ${rub}`);
  }
  return microRub;
}

/** Micro-roubles to the number of roubles that replies carry. */
export function toRub(microRub: number): number {
  return microRub / microRubPerRub;
}
