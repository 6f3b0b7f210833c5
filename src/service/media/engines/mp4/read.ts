/** Finds boxes in ISO base media files (MP4, M4A, MOV) without holding the files. */
import { bufferOf } from '../sources.js';
import type { ByteSource } from '../types.js';

export interface FoundBox {
  readonly type: string;
  /** Where its content begins and ends. */
  readonly from: number;
  readonly to: number;
}

/** More boxes in one box than any honest file has. */
const mostBoxes = 100_000;

/** The boxes between two places. A damaged one ends the list. */
export async function boxesIn(
  source: ByteSource,
  from = 0,
  to = source.byteLength,
): Promise<readonly FoundBox[]> {
  const found: FoundBox[] = [];
  for (let at = from; at + 8 <= to && found.length < mostBoxes;) {
    const head = bufferOf(await source.read(at, 16));
    if (head.length < 8) break;
    const short = head.readUInt32BE(0);
    const isLong = short === 1 && head.length === 16;
    const headBytes = isLong ? 16 : 8;
    const length = isLong ? Number(head.readBigUInt64BE(8)) : short === 0 ? to - at : short;
    if (length < headBytes) break;
    const end = Math.min(to, at + length);
    found.push({ type: head.toString('latin1', 4, 8), from: at + headBytes, to: end });
    at = end;
  }
  return found;
}

/** The first box at the end of a path of types below another. */
export async function findBox(
  source: ByteSource,
  path: readonly string[],
  within?: FoundBox,
): Promise<FoundBox | undefined> {
  let here = within;
  for (const type of path) {
    // meta is a box with a version, unlike the others that hold boxes.
    const skipped = here?.type === 'meta' ? 4 : 0;
    const inside = await boxesIn(source, (here?.from ?? 0) + skipped, here?.to);
    here = inside.find((box) => box.type === type);
    if (!here) return undefined;
  }
  return here;
}

/** The content of a box, up to a length that holds any head. */
export async function contentOf(
  source: ByteSource,
  { from, to }: FoundBox,
  mostBytes = 1024,
): Promise<Buffer> {
  return bufferOf(await source.read(from, Math.min(mostBytes, to - from)));
}
