/** Narrows columns until they fit: a column from the widest that may give one, again and again. */
export function narrow(
  widths: readonly number[],
  room: number,
  minOf: (index: number) => number,
): readonly number[] {
  const narrowed = [...widths];
  for (let excess = sum(widths) - room; excess > 0; excess -= 1) {
    const flexible = narrowed.filter((width, index) => width > minOf(index));
    if (flexible.length === 0) break;
    const widest = Math.max(...flexible);
    const at = narrowed.findIndex((width, index) => width === widest && width > minOf(index));
    narrowed[at] = widest - 1;
  }
  return narrowed;
}

export const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
