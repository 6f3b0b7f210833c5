/** The last frame of FLAC files (RFC 9639), which tells whether they are whole. */

/**
 * Whether a file ends with the last of the samples that its head tells of.
 * @param head its first 42 bytes.
 * @param tail its last bytes, the last frame among them.
 */
export function endsFlac(head: Buffer, tail: Buffer): boolean {
  const samples = ((head[21] ?? 0) & 15) * 2 ** 32 + head.readUInt32BE(22);
  if (samples === 0) return false;
  const usual = head.readUInt16BE(10);
  for (let at = tail.lastIndexOf(0xff); at > 0; at = tail.lastIndexOf(0xff, at - 1)) {
    const frame = tail.subarray(at);
    if (lastSample(frame, usual) === samples && crc16(frame) === 0) return true;
  }
  return false;
}

/**
 * How many samples there are up to the end of a frame; undefined when these bytes are none.
 * @param usual samples of each frame, where frames are counted in place of samples.
 */
function lastSample(frame: Buffer, usual: number): number | undefined {
  const [, second = 0, third = 0, , first = 0] = frame;
  if ((second & 0xfe) !== 0xf8) return undefined;
  // A number in the way UTF-8 codes letters.
  const ones = Math.clz32(~(first << 24));
  const more = frame.subarray(5, 4 + Math.max(1, ones));
  const number = more.reduce((sum, byte) => sum * 64 + (byte & 63), first & (0x7f >> ones));
  const [one = 0, two = 0] = frame.subarray(5 + more.length);
  const sizes = [0, 192, 576, 1152, 2304, 4608, one + 1, one * 256 + two + 1];
  return (second & 1 ? number : number * usual) + (sizes[third >> 4] ?? 1 << (third >> 4));
}

/** The checksum at the end of a frame: 0 for all of it together. */
function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++)
      crc = crc & 0x8000 ? ((crc << 1) ^ 0x8005) & 0xffff : crc << 1;
  }
  return crc;
}
