/** Builds the boxes of ISO base media files (ISO/IEC 14496-12). */

export type Part = Uint8Array | string | readonly number[];

/** Bytes of 16 bits each. */
export function u16(...values: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(values.length * 2);
  values.forEach((value, index) => bytes.writeUInt16BE(value, index * 2));
  return bytes;
}

/** Bytes of 32 bits each. */
export function u32(...values: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeUInt32BE(value, index * 4));
  return bytes;
}

/** A box of parts: bytes, Latin-1 text, or single bytes. */
export function box(type: string, ...parts: readonly Part[]): Uint8Array {
  const body = parts.map(bytesOf);
  const length = body.reduce((sum, part) => sum + part.length, 8);
  return Buffer.concat([u32(length), Buffer.from(type, 'latin1'), ...body]);
}

/** A box with a version and flags. */
export function fullBox(
  type: string,
  version: number,
  flags: number,
  ...parts: readonly Part[]
): Uint8Array {
  return box(type, u32(version * 2 ** 24 + flags), ...parts);
}

function bytesOf(part: Part): Uint8Array {
  return typeof part === 'string' ? Buffer.from(part, 'latin1') : Uint8Array.from(part);
}
