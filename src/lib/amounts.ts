/** Adds amounts that are shown or kept, without the noise of the addition. */
export function sumRub(amountsRub: readonly number[]): number {
  return Number(amountsRub.reduce((sum, rub) => sum + rub, 0).toFixed(9));
}

/** `1,234.50 RUB` for people; without groups for a pipe. */
export function formatRub(amountRub: number, { isGrouped = true } = {}): string {
  const text = formatAmount(amountRub);
  return `${isGrouped ? grouped(text) : text} RUB`;
}

/** At least two digits after the point, up to six below 1. */
export function formatAmount(amount: number): string {
  const digits = amount !== 0 && Math.abs(amount) < 1 ? 6 : 2;
  const text = amount.toFixed(digits);
  // A charge must not look like zero.
  if (amount > 0 && Number(text) === 0) return '<0.000001';
  return digits === 6 ? text.replace(/(\.\d\d\d*?)0+$/, '$1') : text;
}

/** A number with its thousands apart: `1,234.5`. */
export function grouped(number: number | string): string {
  return String(number).replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ',');
}

/** A size for people, in decimal units: `512 B`, `12.3 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : 1;
  return `${value.toFixed(digits)} ${units[unit] ?? ''}`;
}
