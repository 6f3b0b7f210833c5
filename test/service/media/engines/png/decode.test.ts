import { deflateSync, crc32 } from 'node:zlib';
import { PNG } from 'pngjs';
import { describe, expect, it } from 'vitest';
import { decodePng } from '../../../../../src/service/media/engines/png/decode.js';
import { encodePng } from '../../../../../src/service/media/engines/png/encode.js';
import { MediaRefusal } from '../../../../../src/service/media/engines/refusal.js';
import { bytesSource } from '../../../../../src/service/media/engines/sources.js';
import { seeded } from '../../../../helpers/random.js';

/** A PNG of parts, as a foreign writer makes it. */
function pngOf(
  header: {
    width: number;
    height: number;
    bitDepth: number;
    colorType: number;
    interlace?: number;
  },
  rows: Buffer,
  others: readonly (readonly [type: string, data: Buffer])[] = [],
): Buffer {
  const ihdr = Buffer.alloc(13);
  ihdr.writeUInt32BE(header.width, 0);
  ihdr.writeUInt32BE(header.height, 4);
  ihdr.set([header.bitDepth, header.colorType, 0, 0, header.interlace ?? 0], 8);
  const packed = deflateSync(rows);
  const half = packed.length >> 1;
  const chunks = [
    ['IHDR', ihdr],
    ...others,
    ['IDAT', packed.subarray(0, half)],
    ['IDAT', packed.subarray(half)],
    ['IEND', Buffer.alloc(0)],
  ] as const;
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    ...chunks.map(([type, data]) => {
      const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
      const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)];
      length.writeUInt32BE(data.length);
      crc.writeUInt32BE(crc32(body));
      return Buffer.concat([length, body, crc]);
    }),
  ]);
}

async function pixelsOf(file: Buffer): Promise<{ channels: number; pixels: Buffer }> {
  const picture = await decodePng(bytesSource(file));
  const rows: Buffer[] = [];
  for await (const row of picture.rows()) rows.push(Buffer.from(row));
  return { channels: picture.channels, pixels: Buffer.concat(rows) };
}

/** What pngjs reads, with alpha only where ours has it. */
function expected(file: Buffer, channels: number): Buffer {
  const { data } = PNG.sync.read(file);
  return Buffer.from(data.filter((_, index) => channels === 4 || index % 4 < 3));
}

describe('PNG files of other writers', () => {
  it.each([
    ['RGBA', 6],
    ['RGB', 2],
    ['gray and alpha', 4],
    ['gray', 0],
  ] as const)('are read as %s, whatever filter each row has', async (_, colorType) => {
    const random = seeded(colorType);
    const png = new PNG({ width: 37, height: 29 });
    png.data.forEach((__, index) => {
      // Neighbours that resemble each other make the writer choose different filters.
      png.data[index] = (index >> 4) + random.below(9);
    });
    const file = PNG.sync.write(png, { colorType, filterType: -1 });
    const { channels, pixels } = await pixelsOf(file);
    expect(pixels.equals(expected(file, channels))).toBe(true);
  });

  it.each([1, 2, 4, 8])(
    'are read with a palette of %i bits, its clear colors too',
    async (bitDepth) => {
      const colors = 2 ** bitDepth;
      const palette = Buffer.from(
        Array.from({ length: Math.min(colors, 256) * 3 }, (_, i) => i * 7),
      );
      const width = 11;
      const rowBytes = Math.ceil((width * bitDepth) / 8);
      const rows = Buffer.from(
        Array.from({ length: 3 * (rowBytes + 1) }, (_, at) =>
          at % (rowBytes + 1) === 0 ? 0 : at * 37,
        ),
      );
      const file = pngOf({ width, height: 3, bitDepth, colorType: 3 }, rows, [
        ['PLTE', palette],
        ['tRNS', Buffer.from([0, 128])],
      ]);
      const { channels, pixels } = await pixelsOf(file);
      expect(channels).toBe(4);
      expect(pixels.equals(expected(file, 4))).toBe(true);
    },
  );

  it('are read with 16 bits a channel, of which the upper half counts', async () => {
    const rows = Buffer.from('00 ffff 8000 0000 1234 0001 00ff'.replaceAll(' ', ''), 'hex');
    const file = pngOf({ width: 2, height: 1, bitDepth: 16, colorType: 2 }, rows);
    const { pixels } = await pixelsOf(file);
    expect(pixels).toEqual(Buffer.from([255, 127, 0, 18, 0, 0]));
  });

  it('are read with one gray that is clear', async () => {
    const rows = Buffer.from([0, 5, 6, 5]);
    const clear = Buffer.from([0, 5]);
    const file = pngOf({ width: 3, height: 1, bitDepth: 8, colorType: 0 }, rows, [['tRNS', clear]]);
    const { pixels } = await pixelsOf(file);
    expect(pixels).toEqual(Buffer.from([5, 5, 5, 0, 6, 6, 6, 255, 5, 5, 5, 0]));
  });

  it('come back as they were written here', async () => {
    const random = seeded(3);
    for (const channels of [3, 4] as const) {
      const [width, height] = [101, 43];
      const pixels = Buffer.from(
        Array.from({ length: width * height * channels }, () => random.below(256)),
      );
      const rows = () =>
        Array.from({ length: height }, (_, y) =>
          pixels.subarray(y * width * channels, (y + 1) * width * channels),
        );
      const pieces: Uint8Array[] = [];
      for await (const piece of encodePng({ width, height, channels, rows })) pieces.push(piece);
      const read = await pixelsOf(Buffer.concat(pieces));
      expect(read.channels).toBe(channels);
      expect(read.pixels.equals(pixels)).toBe(true);
    }
  });

  it('are refused when they are interlaced', async () => {
    const file = pngOf(
      { width: 1, height: 1, bitDepth: 8, colorType: 0, interlace: 1 },
      Buffer.alloc(2),
    );
    await expect(pixelsOf(file)).rejects.toMatchObject({ code: 'source_unsupported' });
  });

  it('are refused when they are cut before their last pixel, and never half read', async () => {
    const random = seeded(8);
    const png = new PNG({ width: 20, height: 20 });
    png.data.forEach((_, index) => (png.data[index] = random.below(256)));
    const whole = PNG.sync.write(png);
    let refused = 0;
    for (let length = 8; length < whole.length; length += 7) {
      const outcome = await pixelsOf(whole.subarray(0, length)).catch((error: unknown) => error);
      if (outcome instanceof MediaRefusal) refused++;
      else expect(outcome).toMatchObject({ pixels: png.data });
    }
    expect(refused).toBeGreaterThan(200);
  });

  it('are refused when their header is nonsense', async () => {
    for (const header of [
      { width: 0, height: 1, bitDepth: 8, colorType: 2 },
      { width: 1, height: 1, bitDepth: 3, colorType: 2 },
      { width: 1, height: 1, bitDepth: 8, colorType: 5 },
    ]) {
      await expect(pixelsOf(pngOf(header, Buffer.alloc(8)))).rejects.toMatchObject({
        code: 'source_unreadable',
      });
    }
  });
});
