/** Several Ogg files in one (RFC 3533, section 4): a chain. */
import { exactly, span, type ByteSource } from './source.js';

/** Its pages; a stream whose number is not new, or is `taken`, gets another. */
export async function* oggPages(source: ByteSource, taken: Set<number>): AsyncGenerator<Buffer> {
  const renamed = new Map<number, number>();
  let at = 0;
  for (let page = await pageAt(source, at); page; page = await pageAt(source, at)) {
    const serial = page.readUInt32LE(14);
    let own = renamed.get(serial) ?? serial;
    while (!renamed.has(serial) && taken.has(own)) own = (own + 1) >>> 0;
    renamed.set(serial, own);
    yield own === serial ? page : withSerial(page, own);
    at += page.length;
  }
  // Bytes outside pages pass unchanged.
  yield* span(source, at);
  for (const own of renamed.values()) taken.add(own);
}

async function pageAt(source: ByteSource, at: number): Promise<Buffer | undefined> {
  const length = pageBytes(await exactly(source, at, 27 + 255));
  const page = length > 0 ? await exactly(source, at, length) : undefined;
  return page?.length === length ? page : undefined;
}

export function pageBytes(head: Buffer): number {
  if (head.toString('latin1', 0, 4) !== 'OggS') return NaN;
  const content = 27 + (head[26] ?? 0);
  return head.subarray(27, content).reduce((sum, bytes) => sum + bytes, content);
}

function withSerial(page: Buffer, serial: number): Buffer {
  const changed = Buffer.from(page);
  changed.writeUInt32LE(serial, 14);
  changed.writeUInt32LE(0, 22);
  changed.writeUInt32LE(checksum(changed), 22);
  return changed;
}

const polynomial = 0x04c11db7;
const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) rest = rest < 0 ? (rest << 1) ^ polynomial : rest << 1;
  return rest >>> 0;
});

/** CRC-32 as in Ogg: the highest bit first, from 0, not reflected. */
export function checksum(page: Uint8Array): number {
  let sum = 0;
  for (const byte of page) sum = (sum << 8) ^ (table[(sum >>> 24) ^ byte] ?? 0);
  return sum >>> 0;
}
