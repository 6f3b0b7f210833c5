/** Styled text taken apart. */

/** How a terminal shows what is between `⟨look:` and `⟩`. */
const names: Readonly<Record<string, string>> = {
  ...{ 1: 'b', 2: 'd', 3: 'i', 4: 'u' },
  ...{ 31: 'r', 32: 'g', 33: 'y', 36: 'c' },
};
const closers: Readonly<Record<string, string>> = { 22: 'bd', 23: 'i', 24: 'u', 39: 'rgyc' };

const sgr = /\u001b\[(\d+)m/;

export interface Styled {
  /** Without the styles. */
  readonly text: string;
  /** A look for each code unit of the text: its names, in order. */
  readonly looks: readonly string[];
  /** What is still open at the end. */
  readonly open: string;
}

/** @throws when it holds a style that svc does not use, or closes one that is not open. */
export function takeApart(styled: string): Styled {
  const parts = styled.split(sgr);
  const open = new Set<string>();
  const looks: string[] = [];
  let text = '';
  for (const [index, part] of parts.entries()) {
    if (index % 2 === 1) {
      turn(open, part);
      continue;
    }
    text += part;
    const look = [...open].sort().join('');
    while (looks.length < text.length) looks.push(look);
  }
  return { text, looks, open: [...open].sort().join('') };
}

function turn(open: Set<string>, code: string): void {
  const name = names[code];
  if (name !== undefined) {
    open.add(name);
    return;
  }
  const closed = Array.from(closers[code] ?? '').filter((one) => open.delete(one));
  if (closed.length !== 1) throw new Error(`nothing to close by ${code}`);
}

/** The text with its looks to read: `⟨b:strong⟩`, `⟨bi:both⟩`. */
export function readable(styled: string): string {
  const { text, looks } = takeApart(styled);
  let shown = '';
  for (let unit = 0; unit < text.length; unit++) {
    const [before = '', look = '', after = ''] = [looks[unit - 1], looks[unit], looks[unit + 1]];
    if (look !== '' && look !== before) shown += `⟨${look}:`;
    shown += text.charAt(unit);
    if (look !== '' && look !== after) shown += '⟩';
  }
  return shown;
}
