/** Tells which tool call a piece belongs to, also where the service does not. */
import type { ToolPiece } from './listener.js';

/** A piece as the service sent it. */
export type LoosePiece = Omit<ToolPiece, 'index'> & { index?: number };

/** The indices of the tool calls of one answer. */
export class ToolIndex {
  private next = 0;
  private last: { index: number; name: string; arguments: ArgumentsEnd } | undefined;
  private readonly byId = new Map<string, number>();

  /** @param isFirst whether it is the first piece of its event. */
  of(piece: LoosePiece, isFirst: boolean): number {
    const index = piece.index ?? this.guess(piece, isFirst);
    this.next = Math.max(this.next, index + 1);
    if (piece.id) this.byId.set(piece.id, index);
    if (this.last?.index !== index) {
      this.last = { index, name: '', arguments: new ArgumentsEnd() };
    }
    if (piece.name) this.last.name = piece.name;
    this.last.arguments.add(piece.arguments);
    return index;
  }

  /** A new id begins a new call; without ids, a name does, unless it only repeats itself. */
  private guess({ id, name }: LoosePiece, isFirst: boolean): number {
    const { last } = this;
    if (!last) return this.next;
    if (id) return this.byId.get(id) ?? this.next;
    const begins = name && (!isFirst || name !== last.name || last.arguments.isReached);
    return begins ? this.next : last.index;
  }
}

/** Tells when the object of a call's arguments is closed, without keeping its text. */
class ArgumentsEnd {
  private depth = 0;
  private isInString = false;
  private isEscaped = false;
  isReached = false;

  add(json: string): void {
    for (const character of json) {
      if (this.isEscaped) this.isEscaped = false;
      else if (character === '"') this.isInString = !this.isInString;
      else if (this.isInString) this.isEscaped = character === '\\';
      else if (character === '{') this.depth += 1;
      else if (character === '}') {
        this.depth -= 1;
        this.isReached = this.depth === 0;
      }
    }
  }
}
