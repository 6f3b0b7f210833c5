/** Markdown as a terminal shows it. */
import headless from '@xterm/headless';
import { MarkdownScreen } from '../../src/terminal/markdown.js';
import { sanitise, styleFor } from '../../src/terminal/screen.js';

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
  const size = { cols: columns, rows, scrollback: 10_000 };
  const terminal = new headless.Terminal({ ...size, allowProposedApi: true, convertEol: true });
  await new Promise<void>((resolve) => terminal.write(sent.join(''), resolve));
  const { active } = terminal.buffer;
  const lines: string[] = [];
  for (let y = 0; y < active.length; y++) {
    const line = active.getLine(y);
    const text = line?.translateToString(true) ?? '';
    if (line?.isWrapped) lines.push((lines.pop() ?? '') + text);
    else lines.push(text);
  }
  terminal.dispose();
  return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
}
