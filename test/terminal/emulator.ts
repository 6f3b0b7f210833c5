/** A terminal in memory. */
import headless from '@xterm/headless';
import { Writable } from 'node:stream';

export class Emulator extends Writable {
  readonly isTTY = true;
  readonly #terminal;

  constructor(
    public columns: number,
    readonly rows: number,
  ) {
    super();
    const size = { cols: columns, rows, scrollback: 10_000 };
    this.#terminal = new headless.Terminal({ ...size, allowProposedApi: true });
  }

  override _write(bytes: Buffer, _encoding: string, done: () => void): void {
    this.#terminal.write(bytes, done);
  }

  /** Draws all that was sent, a line feed alone at the start of the next line. */
  async show(text: string): Promise<this> {
    await new Promise<void>((resolve) =>
      this.#terminal.write(text.replaceAll(/(?<!\r)\n/g, '\r\n'), resolve),
    );
    return this;
  }

  resize(columns: number): void {
    this.columns = columns;
    this.#terminal.resize(columns, this.rows);
    this.emit('resize');
  }

  /** Its lines; those that it wraps itself are joined. @param cursor stands where the cursor is */
  lines(cursor = '', joins = true): string[] {
    const { active } = this.#terminal.buffer;
    const lines: string[] = [];
    for (let y = 0; y < active.length; y++) {
      const line = active.getLine(y);
      const hasCursor = cursor !== '' && y === active.baseY + active.cursorY;
      const before = hasCursor
        ? (line?.translateToString(false, 0, active.cursorX) ?? '') + cursor
        : '';
      const text = before + (line?.translateToString(true, hasCursor ? active.cursorX : 0) ?? '');
      if (joins && line?.isWrapped) lines.push((lines.pop() ?? '') + text);
      else lines.push(text);
    }
    return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
  }

  /** A cell: its letter, and the colours of it and behind it. */
  cell(x: number, y: number) {
    const cell = this.#terminal.buffer.active.getLine(y)?.getCell(x);
    const colour = cell?.isFgDefault() ? '' : cell?.getFgColor();
    return [cell?.getChars(), colour, cell?.isBgDefault() ? '' : cell?.getBgColor()];
  }
}
