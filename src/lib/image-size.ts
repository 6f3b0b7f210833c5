/** The kind and size in pixels of an image, from its first bytes. */
export function imageSize(
  bytes: Buffer,
): { kind: 'PNG' | 'JPEG' | 'GIF' | 'WebP'; width: number; height: number } | undefined {
  const start = bytes.toString('latin1', 0, 16);
  if (start.startsWith('\x89PNG\r\n\x1a\n') && bytes.length >= 24) {
    return { kind: 'PNG', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  if (/^GIF8[79]a/.test(start) && bytes.length >= 10) {
    return { kind: 'GIF', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  }
  const webp = /^RIFF[^]{4}WEBPVP8([ LX])/.exec(start)?.[1];
  if (webp && bytes.length >= 30) return { kind: 'WebP', ...webpSize(bytes, webp) };
  return start.startsWith('\xff\xd8\xff') ? jpegSize(bytes) : undefined;
}

/** Extended files have 24 bits a side, lossless and lossy ones 14. */
function webpSize(bytes: Buffer, variant: string) {
  if (variant === 'X') {
    return { width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) };
  }
  const bits = bytes.readUInt32LE(variant === 'L' ? 21 : 26);
  if (variant === ' ') return { width: bits & 0x3fff, height: (bits >>> 16) & 0x3fff };
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
}

function jpegSize(bytes: Buffer) {
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes.readUInt8(at + 1);
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)];
      return { kind: 'JPEG' as const, width, height };
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
