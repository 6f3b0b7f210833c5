/** What a terminal shows of what it was sent: a grid of characters with styles. */
import headless from '@xterm/headless';
import type { Size } from './play.js';

/** Characters that look alike. */
export interface Run {
  readonly text: string;
  /** Column of the first character. */
  readonly at: number;
  /** How many columns the text takes. */
  readonly width: number;
  readonly style: string;
}

export type Line = readonly Run[];

/** All lines, those that have scrolled away included; empty ones at the end are left out. */
export async function screenOf(sent: string, { columns, rows }: Size): Promise<readonly Line[]> {
  const terminal = new headless.Terminal({
    cols: columns,
    rows,
    scrollback: 5000,
    allowProposedApi: true,
  });
  await new Promise<void>((resolve) => terminal.write(sent, resolve));
  const buffer = terminal.buffer.active;
  const lines = Array.from({ length: buffer.length }, (_, y) => {
    const line = buffer.getLine(y);
    return line ? runsOf(line) : [];
  });
  terminal.dispose();
  return lines.slice(0, lines.findLastIndex((line) => line.length > 0) + 1);
}

export function textOf(line: Line): string {
  return line.map(({ text }) => text).join('');
}

type Row = NonNullable<ReturnType<headless.IBuffer['getLine']>>;
type Cell = NonNullable<ReturnType<Row['getCell']>>;

function runsOf(row: Row): Run[] {
  const length = row.translateToString(true).length;
  const runs: { text: string; at: number; width: number; style: string }[] = [];
  for (let x = 0, seen = 0; x < row.length && seen < length; x += 1) {
    const cell = row.getCell(x);
    // The second half of a wide character has no width.
    if (!cell || cell.getWidth() === 0) continue;
    const text = cell.getChars() || ' ';
    seen += text.length;
    const [style, width] = [styleOf(cell), cell.getWidth()];
    const last = runs.at(-1);
    if (last?.style === style) {
      last.text += text;
      last.width += width;
    } else runs.push({ text, at: x, width, style });
  }
  return runs;
}

const colours = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

function styleOf(cell: Cell): string {
  const colour = cell.isFgPalette() ? cell.getFgColor() : -1;
  return [
    cell.isBold() ? 'bold' : '',
    cell.isDim() ? 'dim' : '',
    cell.isItalic() ? 'italic' : '',
    cell.isUnderline() ? 'underline' : '',
    cell.isStrikethrough() ? 'struck' : '',
    cell.isInverse() ? 'inverse' : '',
    colour >= 8 ? 'bright' : '',
    colours[colour % 8] ?? '',
  ]
    .filter((word) => word !== '')
    .join(' ');
}
