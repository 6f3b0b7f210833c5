import type { Language } from './language.js';

/** Adds amounts that are shown or kept, without the noise of the addition. */
export function sumRub(amountsRub: readonly number[]): number {
  return Number(amountsRub.reduce((sum, rub) => sum + rub, 0).toFixed(9));
}

/** `1,234.50 RUB` for people, `1 234,50 ₽` in Russian. */
export function formatRub(amountRub: number, language: Language = 'en'): string {
  return `${grouped(formatAmount(amountRub), language)}${language === 'ru' ? '\u00a0₽' : ' RUB'}`;
}

/** `1234.50 RUB`: for a pipe. */
export function plainRub(amountRub: number): string {
  return `${formatAmount(amountRub)} RUB`;
}

/**
 * How amounts are written where a sentence says that these two differ: with the nine digits of
 * `sumRub` if they look equal otherwise.
 */
export function comparing(oneRub: number, otherRub: number): (rub: number) => string {
  if (formatRub(oneRub) !== formatRub(otherRub)) return (rub) => formatRub(rub);
  return (rub) => `${grouped(rub.toFixed(9).replace(/(\.\d\d\d*?)0+$/, '$1'))} RUB`;
}

/** At least two digits after the point, up to six below 1. */
export function formatAmount(amount: number): string {
  const digits = amount !== 0 && Math.abs(amount) < 1 ? 6 : 2;
  const text = amount.toFixed(digits);
  // A charge must not look like zero.
  if (amount > 0 && Number(text) === 0) return '<0.000001';
  return digits === 6 ? text.replace(/(\.\d\d\d*?)0+$/, '$1') : text;
}

/** A number with its thousands apart: `1,234.5`, in Russian `1 234,5`. */
export function grouped(number: number | string, language: Language = 'en'): string {
  const text = String(number);
  // Intl takes 3 to 20 ms when it first makes a format, which most runs need not wait for.
  if (language === 'en') return text.replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ',');
  return text.replace(/\d+(?:\.(\d+))?/, (one, decimals?: string) => {
    const digits = decimals?.length ?? 0;
    const how = { minimumFractionDigits: digits, maximumFractionDigits: digits };
    return (formats[digits] ??= new Intl.NumberFormat('ru', how)).format(Number(one));
  });
}

/** The formats made so far, by the digits after the point. */
const formats: Intl.NumberFormat[] = [];

/** A size for people, in decimal units: `512 B`, `12.3 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value.toFixed(unit === 0 || value >= 99.95 ? 0 : 1)} ${units[unit] ?? ''}`;
}
