/** Prices of media come out in whole kopecks. */
import type { Measured } from './measure/types.js';
import type { Price } from './types.js';

const kopecksPerRub = 100;

/** Rounds to the next kopeck, so that nothing that costs is free. */
export function wholeKopecks(rub: number): number {
  // A kopeck's ten-thousandth is what binary fractions leave behind: it is no price.
  return Math.max(0, Math.ceil(rub * kopecksPerRub - 1e-4)) / kopecksPerRub;
}

/** Whether a price is an estimate, and why: `assumed` stands in for a source not measured. */
export function estimate(
  source: Measured | undefined,
  assumed: string,
): Pick<Price, 'isEstimate' | 'estimateReason'> {
  if (source) return { isEstimate: false };
  return { isEstimate: true, estimateReason: `the source was not measured: ${assumed} is assumed` };
}
