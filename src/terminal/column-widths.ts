/** Narrows columns until they fit: a column from the widest that may give one, again and again. */
export function narrow(
  widths: readonly number[],
  room: number,
  minOf: (index: number) => number,
): readonly number[] {
  const narrowed = [...widths];
  for (let excess = sum(widths) - room; excess > 0; excess -= 1) {
    let widest = -1;
    for (const [index, width] of narrowed.entries()) {
      if (width > Math.max(minOf(index), narrowed[widest] ?? 0)) widest = index;
    }
    if (widest === -1) break;
    narrowed[widest] = (narrowed[widest] ?? 0) - 1;
  }
  return narrowed;
}

export const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);
