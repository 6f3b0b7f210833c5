/** How wide the cells of a column are, as rows arrive; amounts stand with point below point. */
import { shortId } from '../lib/names.js';
import { textWidth } from '../lib/wrap.js';
import type { Column } from './types.js';

const amount = /^([-<]?[\d,]+)(\.\d+)?( RUB)?$/;

export class MeasuredColumn {
  /** Of the point and the digits after it. */
  #fraction = 0;
  #widest: number;
  #widestBare: number;
  #widestId: number;

  constructor(
    readonly shape: Column,
    readonly index: number,
  ) {
    const width = textWidth(shape.title);
    [this.#widest, this.#widestBare, this.#widestId] = [width, width, width];
  }

  measure(cells: readonly string[]): void {
    const { align, isId } = this.shape;
    for (const cell of align === 'right' ? cells : []) {
      this.#fraction = Math.max(this.#fraction, amount.exec(cell)?.[2]?.length ?? 0);
    }
    for (const cell of cells) {
      this.#widest = Math.max(this.#widest, textWidth(this.shown(cell, true)));
      this.#widestBare = Math.max(this.#widestBare, textWidth(this.shown(cell, false)));
      if (isId) this.#widestId = Math.max(this.#widestId, textWidth(shortId(cell)));
    }
  }

  /** What stands for a cell. @param hasUnits whether there is room for RUB */
  shown(cell: string, hasUnits: boolean): string {
    if (this.shape.align !== 'right') return cell;
    const [, whole, digits = '', unit = ''] = amount.exec(cell) ?? [];
    if (whole === undefined) return cell;
    return whole + digits.padEnd(this.#fraction) + (hasUnits ? unit : '');
  }

  natural(hasUnits: boolean): number {
    return hasUnits ? this.#widest : this.#widestBare;
  }

  get hasUnit(): boolean {
    return this.#widestBare < this.#widest;
  }

  /** Where an id is cut to before anything else is. */
  get idMin(): number {
    return this.shape.isId ? this.#widestId : Infinity;
  }

  /** Where it is not cut further before others are left out. */
  get min(): number {
    return Math.min(this.idMin, this.shape.min ?? Infinity);
  }
}
