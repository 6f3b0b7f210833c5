/** Markdown as a terminal shows it. */
import { MarkdownScreen } from '../../src/terminal/markdown.js';
import { sanitise, styleFor } from '../../src/terminal/screen.js';
import { Emulator } from './emulator.js';

export interface Look {
  columns?: number;
  rows?: number;
  takesLinks?: boolean;
}

export function openScreen({ columns = 80, rows = 200, takesLinks = false }: Look = {}) {
  const size = { columns, rows };
  const style = styleFor({}, true);
  return { size, screen: new MarkdownScreen({ style, takesLinks, size: () => size }) };
}

/** What a terminal is sent for each piece, and for the end. */
export async function sentFor(pieces: readonly string[], look?: Look): Promise<string[]> {
  const { screen } = openScreen(look);
  const sent: string[] = [];
  for (const piece of pieces) sent.push(screen.push(sanitise(piece)));
  return [...sent, screen.end()];
}

/** What a terminal shows, line by line; lines that it wraps itself are joined. */
export async function shown(sent: readonly string[], { columns = 80, rows = 200 }: Look = {}) {
  return (await new Emulator(columns, rows).show(sent.join(''))).lines();
}
