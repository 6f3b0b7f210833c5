/** Tells which tool call a piece belongs to, also where the service does not. */
import type { ToolPiece } from './listener.js';

/** A piece as the service sent it. */
export type LoosePiece = Omit<ToolPiece, 'index'> & { index?: number };

/** The indices of the tool calls of one answer. */
export class ToolIndex {
  private next = 0;
  private last: { index: number; name: string; arguments: string } | undefined;
  private readonly byId = new Map<string, number>();

  /** @param isFirst whether it is the first piece of its event. */
  of(piece: LoosePiece, isFirst: boolean): number {
    const index = piece.index ?? this.guess(piece, isFirst);
    this.next = Math.max(this.next, index + 1);
    if (piece.id) this.byId.set(piece.id, index);
    if (this.last?.index !== index) this.last = { index, name: '', arguments: '' };
    if (piece.name) this.last.name = piece.name;
    this.last.arguments += piece.arguments;
    return index;
  }

  /** A new id begins a new call; without ids, a name does, unless it only repeats itself. */
  private guess({ id, name }: LoosePiece, isFirst: boolean): number {
    const { last } = this;
    if (!last) return this.next;
    if (id) return this.byId.get(id) ?? this.next;
    const begins = name && (!isFirst || name !== last.name || isWhole(last.arguments));
    return begins ? this.next : last.index;
  }
}

function isWhole(json: string): boolean {
  if (!json.trimEnd().endsWith('}')) return false;
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}
