/** Styled text to read. */

/** How a style is written, by the codes that begin and end it. */
const names: Readonly<Record<string, string>> = {
  ...{ 1: 'b', 2: 'd', 3: 'i', 4: 'u' },
  ...{ 31: 'r', 32: 'g', 33: 'y', 36: 'c' },
};
const closers: Readonly<Record<string, string>> = { 22: 'bd', 23: 'i', 24: 'u', 39: 'rgyc' };

/** @throws for a style that svc does not use, and for one that is not open when it is closed. */
function runsOf(styled: string) {
  const open = new Set<string>();
  const runs: { look: string; text: string }[] = [];
  for (const [index, part] of styled.split(/\u001b\[(\d+)m/).entries()) {
    const name = names[part];
    const look = [...open].sort().join('');
    if (index % 2 === 0) runs.push({ look, text: part });
    else if (name !== undefined) open.add(name);
    else {
      const closed = Array.from(closers[part] ?? '').filter((one) => open.delete(one));
      if (closed.length !== 1) throw new Error(`nothing to close by ${part}`);
    }
  }
  return runs;
}

export function unstyled(styled: string): string {
  return runsOf(styled)
    .map(({ text }) => text)
    .join('');
}

/** The text with its looks: `⟨b:strong⟩`, `⟨bi:both⟩`. */
export function readable(styled: string): string {
  const marked = runsOf(styled).map(({ look, text }) =>
    look === '' || text === '' ? text : `⟨${look}:${text}⟩`,
  );
  // A look that goes on is one.
  return marked.join('').replace(/⟨(\w+):([^⟨⟩]*)⟩(?:⟨\1:([^⟨⟩]*)⟩)+/g, (joined, look: string) => {
    return `⟨${look}:${joined.replaceAll(/⟨\w+:|⟩/g, '')}⟩`;
  });
}
