import { PNG } from 'pngjs';
import { expect, it } from 'vitest';
import { canvasOptions } from '../../../../src/service/media/engines/canvas.js';
import { headOf, make, oddPrompts } from './make.js';

const quick = { quality: 'draft' };

/** The sides that the head of a PNG file gives. */
function sidesOf(png: Buffer): readonly number[] {
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

/** The notes of a PNG file, by keyword. */
function textsOf(png: Buffer): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (let at = 8; at + 12 <= png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) !== 'iTXt') continue;
    const data = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
    const end = data.indexOf(0);
    // Keyword, NUL, two bytes of compression, two more texts with a NUL each, then the note.
    texts[data.toString('latin1', 0, end)] = data.toString('utf8', end + 5);
  }
  return texts;
}

it.each([
  [{ size: '1024x1024' }, 1024, 1024],
  [{ size: '1792x1024' }, 1792, 1024],
  [{ size: 'auto' }, 1024, 1024],
  [{ aspect_ratio: '16:9' }, 1536, 864],
])('local/canvas draws %o as a PNG of %i by %i pixels', async (opts, width, height) => {
  const head = await headOf('local/canvas', { prompt: 'x', opts: { ...quick, ...opts } });
  expect(sidesOf(head)).toEqual([width, height]);
});

it('local/canvas draws several pictures, each another, and each whole', async () => {
  const opts = { ...quick, n: 2, aspect_ratio: '21:9' };
  const { files } = await make('local/canvas', { prompt: 'x', opts });
  const [one = Buffer.alloc(0), other = Buffer.alloc(0)] = files;
  expect(PNG.sync.read(one)).toMatchObject({ width: 1792, height: 768 });
  expect(one.equals(other)).toBe(false);
  expect(other.length).toBeGreaterThan(0);
});

it.each(oddPrompts)('local/canvas takes a prompt of %s and notes it', async (_, prompt) => {
  const file = await headOf('local/canvas', { prompt, opts: quick });
  expect(sidesOf(file)).toEqual([1024, 1024]);
  // PNG knows no NUL in a text, and UTF-8 no half of a letter.
  const Description = Buffer.from(prompt).toString().replaceAll('\0', '\ufffd');
  expect(textsOf(file)).toEqual({ Description, Software: 'svc local/canvas' });
});

it.each([
  ['1024x1024', '1:1'],
  ['1792x1024', '7:4'],
  ['auto', '1:1'],
  ['2x3', '2:3'],
])('the options of a synchronous image honour %s by its ratio', (size, aspect_ratio) => {
  expect(canvasOptions({ size })).toEqual({ opts: { aspect_ratio } });
});

it.each(['1000x999', '0x0', ''])('the options of a synchronous image refuse %j', (size) => {
  expect(canvasOptions({ size })).toEqual({ refused: 'size' });
});

it('the options of a synchronous image leave the quality to the model when it is auto, and refuse one that is not offered', () => {
  expect(canvasOptions({ quality: 'auto' })).toEqual({ opts: { aspect_ratio: '1:1' } });
  const opts = { aspect_ratio: '1:1', quality: 'high' };
  expect(canvasOptions({ quality: 'high' })).toEqual({ opts });
  expect(canvasOptions({ quality: 'hd' })).toEqual({ refused: 'quality' });
});
