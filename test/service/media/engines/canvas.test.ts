import { PNG } from 'pngjs';
import { describe, expect, it } from 'vitest';
import { canvasOptions } from '../../../../src/service/media/engines/canvas/canvas.js';
import { make, makeOne, oddPrompts } from './make.js';
import { textsOf } from './png-texts.js';

const quick = { quality: 'draft' };

function colorsIn(pixels: Buffer): number {
  const colors = new Set<number>();
  for (let at = 0; at < pixels.length; at += 4) colors.add(pixels.readUInt32BE(at));
  return colors.size;
}

describe('local/canvas', () => {
  it.each([
    ['1024x1024', 1024, 1024],
    ['1792x1024', 1792, 1024],
    ['1024x1792', 1024, 1792],
    ['1536x1024', 1536, 1024],
    ['1024x1536', 1024, 1536],
    ['auto', 1024, 1024],
  ])('paints %s as a PNG of %i by %i pixels', async (size, width, height) => {
    const png = PNG.sync.read(
      await makeOne('local/canvas', { prompt: 'x', opts: { ...quick, size } }),
    );
    expect([png.width, png.height]).toEqual([width, height]);
  });

  it.each([
    ['16:9', 16 / 9],
    ['9:16', 9 / 16],
    ['21:9', 21 / 9],
    ['3:4', 3 / 4],
  ])('keeps the ratio %s to the pixel', async (aspect_ratio, ratio) => {
    const opts = { ...quick, aspect_ratio };
    const png = PNG.sync.read(await makeOne('local/canvas', { prompt: 'x', opts }));
    expect(png.width / png.height).toBe(ratio);
  });

  it('paints a picture and no single color', async () => {
    const png = PNG.sync.read(await makeOne('local/canvas', { prompt: 'a lighthouse' }));
    expect(colorsIn(png.data)).toBeGreaterThan(1000);
  });

  it('puts a lighthouse where the prompt asks for one: red bands on a white wall', async () => {
    const reds = async (prompt: string) => {
      const { data } = PNG.sync.read(await makeOne('local/canvas', { prompt, opts: quick }));
      let count = 0;
      for (let at = 0; at < data.length; at += 4) {
        const [red = 0, green = 0, blue = 0] = data.subarray(at, at + 3);
        if (red > 150 && green < 80 && blue < 80) count++;
      }
      return count;
    };
    // Seed 0 of these two shows the same day but for what the words ask.
    expect(await reds('a lighthouse in the morning')).toBeGreaterThan(2000);
    expect(await reds('a field in the morning')).toBeLessThan(200);
  });

  it('gives the same bytes for the same prompt, options and seed', async () => {
    const order = { prompt: 'a lighthouse', opts: { n: 2, quality: 'draft' } };
    const [first, second] = [
      await make('local/canvas', order, 7),
      await make('local/canvas', order, 7),
    ];
    expect(first.files.map((file) => file.toString('hex'))).toEqual(
      second.files.map((file) => file.toString('hex')),
    );
  });

  it('paints another picture for another prompt, seed or result', async () => {
    const { files } = await make('local/canvas', { prompt: 'x', opts: { ...quick, n: 3 } });
    const others = [
      await makeOne('local/canvas', { prompt: 'y', opts: quick }),
      await makeOne('local/canvas', { prompt: 'x', opts: quick }, 1),
    ];
    const all = [...files, ...others].map((file) => file.toString('hex'));
    expect(new Set(all).size).toBe(5);
  });

  it('lets the seed of the options go before that of the service', async () => {
    const withSeed = (seed: number) =>
      makeOne('local/canvas', { prompt: 'x', opts: { ...quick, seed: 5 } }, seed);
    expect((await withSeed(1)).equals(await withSeed(2))).toBe(true);
  });

  it('draws more finely where more is paid', async () => {
    const draw = async (quality: string) =>
      PNG.sync.read(await makeOne('local/canvas', { prompt: 'a lighthouse', opts: { quality } }));
    const { data: draft } = await draw('draft');
    const { data: standard } = await draw('standard');
    const { data: high } = await draw('high');
    // A draft repeats each pixel four times; the others do not.
    const pairs = (data: Buffer) => {
      let same = 0;
      for (let at = 0; at < data.length; at += 8) {
        if (data.readUInt32BE(at) === data.readUInt32BE(at + 4)) same++;
      }
      return same / (data.length / 8);
    };
    expect(pairs(draft)).toBe(1);
    expect(pairs(standard)).toBeLessThan(0.99);
    // Where shapes meet, a fine picture has shades that a plain one has not.
    expect(colorsIn(high)).toBeGreaterThan(colorsIn(standard));
  });

  it.each(oddPrompts)('takes a prompt of %s and notes it', async (_, prompt) => {
    const file = await makeOne('local/canvas', { prompt, opts: quick });
    expect(PNG.sync.read(file).width).toBe(1024);
    const { Description, Software } = textsOf(file);
    // PNG knows no NUL in a text, and UTF-8 no half of a letter.
    const noted = Buffer.from(prompt).toString().replaceAll('\0', '\ufffd');
    expect(Description).toBe(noted);
    expect(Software).toBe('svc local/canvas');
  });
});

describe('the options of a synchronous image', () => {
  it.each([
    ['1024x1024', 1024, 1024],
    ['1792x1024', 1792, 1024],
    ['auto', 1024, 1024],
    ['1920x1080', 1536, 864],
    ['512x512', 1024, 1024],
    ['2x3', 1024, 1536],
  ])('honour %s by its ratio', async (size, width, height) => {
    const options = canvasOptions({ size });
    if ('refused' in options) throw new Error(options.refused);
    const { files } = await make('local/canvas', {
      prompt: 'x',
      opts: { ...options.opts, ...quick },
    });
    const [png] = files.map((file) => PNG.sync.read(file));
    expect([png?.width, png?.height]).toEqual([width, height]);
  });

  it.each(['1000x999', '0x0', '1e3x1e3', '', '1024', '99999999x99999999'])('refuse %j', (size) => {
    expect(canvasOptions({ size })).toEqual({ refused: 'size' });
  });

  it('leave the quality to the model when it is auto, and refuse one that is not offered', () => {
    expect(canvasOptions({ quality: 'auto' })).toEqual({ opts: { aspect_ratio: '1:1' } });
    expect(canvasOptions({ quality: 'high' })).toEqual({
      opts: { aspect_ratio: '1:1', quality: 'high' },
    });
    expect(canvasOptions({ quality: 'hd' })).toEqual({ refused: 'quality' });
  });
});
