import { expect, it } from 'vitest';
import { batchesOf, lineBlocks } from '../../../src/commands/embed/lines.js';

/** Ready at once, as a file is. */
async function* cut(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) {
    yield await Promise.resolve(bytes.subarray(at, at + size));
  }
}

async function linesOf(text: string | Buffer, size = 1000): Promise<string[]> {
  const lines: string[] = [];
  for await (const block of lineBlocks(cut(Buffer.from(text), size))) lines.push(...block);
  return lines;
}

/** Each line as `number text`. */
async function batches(text: string, size: number, skip = 0, dropsEmpty = false) {
  const all: string[][] = [];
  const rules = { size, skip, dropsEmpty };
  for await (const lines of batchesOf(cut(Buffer.from(text), 7), rules)) {
    all.push(lines.map((line) => `${String(line.number)} ${line.text}`));
  }
  return all;
}

it.each([
  ['', []],
  ['one\ntwo', ['one', 'two']],
  ['one\r\ntwo\r\n', ['one', 'two']],
  ['я🌍\nэ\u2028ж\n', ['я🌍', 'э\u2028ж']],
  ['\ufeffone\n\ufefftwo\n', ['one', '\ufefftwo']],
  ['\ufeff', ['']],
])('the lines of %j are %j, however it is cut', async (text, lines) => {
  for (let size = 1; size <= Buffer.byteLength(text) + 1; size += 1) {
    expect(await linesOf(text, size)).toEqual(lines);
  }
});

it('a batch of long lines holds fewer', async () => {
  const line = 'a'.repeat(200_000);
  const all = await batches(`${line}\n${line}\n${line}\n`, 64);
  expect(all.map((lines) => lines.length)).toEqual([2, 1]);
});

it.each([
  ['a\n\nb\n', 'line 2 is empty'],
  [`a\n${'b'.repeat(5_000_000)}`, 'line 2 is too long'],
])('what has no vector is named by its line', async (text, sentence) => {
  await expect(batches(text, 10)).rejects.toThrow(sentence);
});

it('bytes that are no UTF-8 are named by their line, however they are cut', async () => {
  const bytes = Buffer.concat([Buffer.from('a\nb\n'), Buffer.from([0xff, 0x0a]), Buffer.from('c')]);
  for (let size = 1; size <= bytes.length; size += 1) {
    await expect(linesOf(bytes, size)).rejects.toThrow('line 3 is no UTF-8 text');
  }
});
