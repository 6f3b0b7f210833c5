/** Roubles for people: at least two digits after the point, more while they say something. */
export function formatRub(amountRub: number): string {
  const digits = amountRub !== 0 && Math.abs(amountRub) < 1 ? 6 : 2;
  const text = amountRub.toFixed(digits);
  // What was charged must not look like nothing.
  if (amountRub > 0 && Number(text) === 0) return '<0.000001 RUB';
  return `${digits === 2 ? text : text.replace(/(\.\d\d\d*?)0+$/, '$1')} RUB`;
}
