/**
 * Roubles: at least two digits after the point, up to six below 1 RUB; thousands are grouped for
 * people: `1,234.50 RUB`.
 */
export function formatRub(amountRub: number, { isGrouped = true } = {}): string {
  const digits = amountRub !== 0 && Math.abs(amountRub) < 1 ? 6 : 2;
  const text = amountRub.toFixed(digits);
  // A charge must not look like zero.
  if (amountRub > 0 && Number(text) === 0) return '<0.000001 RUB';
  if (digits === 6) return `${text.replace(/(\.\d\d\d*?)0+$/, '$1')} RUB`;
  return `${isGrouped ? text.replace(/\B(?=(\d{3})+\.)/g, ',') : text} RUB`;
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
