/** What a job of a media model costs. */
import type { FileFacts, LengthName, Price } from './model.js';

/** Rounds a price up to a kopeck, ignoring errors of binary fractions below a ten-thousandth. */
export function wholeKopecks(rub: number): number {
  return Math.max(0, Math.ceil(rub * 100 - 1e-4)) / 100;
}

/** The product of the factors, as a price; `assumed` describes an unmeasured source. */
export function priceOf(breakdown: Price['breakdown'], assumed?: string, per = 1): Price {
  const rub = Object.values(breakdown).reduce((product, factor) => product * factor, 1) / per;
  const estimateReason = assumed && `the source was not measured: ${assumed} is assumed`;
  const estimate = { isEstimate: assumed !== undefined, ...(estimateReason && { estimateReason }) };
  return { priceRub: wholeKopecks(rub), ...estimate, breakdown };
}

/** The price of a source's seconds, or of the assumed seconds of an unmeasured one. */
export function priceOfSeconds(
  rubPerSecond: number,
  source: FileFacts | undefined,
  assumed: { readonly seconds: number; readonly noun: string },
  ...names: readonly LengthName[]
): Price {
  const { seconds = assumed.seconds } = source ?? {};
  const unmeasured = source ? undefined : `${assumed.noun} of ${assumed.seconds} seconds`;
  const price = priceOf({ rubPerSecond, seconds }, unmeasured);
  return { ...price, ...(source && Object.fromEntries(names.map((name) => [name, seconds]))) };
}
