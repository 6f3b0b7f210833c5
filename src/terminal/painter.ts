/** Text with styles; each stretch closes the styles that it opens, and none goes over a line's end. */
import type { Style } from './style.js';

/** How a stretch of text looks: a sum of these. */
export const looks = { plain: 0, bold: 1, italic: 2, code: 4, underline: 8, dim: 16 } as const;

export class Painter {
  #painted = '';
  /** The stretch at hand: neighbours of one look share their styles. */
  #stretch = '';
  #look = 0;

  constructor(private readonly style: Style) {}

  add(text: string, look: number): void {
    if (look !== this.#look) {
      this.#close();
      this.#look = look;
    }
    this.#stretch += text;
  }

  /** All that was added since the last time; no style is left open. */
  take(): string {
    this.#close();
    const painted = this.#painted;
    this.#painted = '';
    return painted;
  }

  #close(): void {
    if (this.#stretch === '') return;
    this.#painted += this.#paint(this.#stretch);
    this.#stretch = '';
  }

  #paint(text: string): string {
    const { style } = this;
    const look = this.#look;
    let painted = text;
    if (look & looks.code) painted = style.cyan(painted);
    if (look & looks.underline) painted = style.underline(painted);
    if (look & looks.italic) painted = style.italic(painted);
    if (look & looks.bold) painted = style.bold(painted);
    if (look & looks.dim) painted = style.dim(painted);
    return painted;
  }
}
