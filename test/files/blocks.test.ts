import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Blocks } from '../../src/files/blocks.js';
import { testFolder } from '../helpers/folder.js';

const bytes = Buffer.from(
  Uint32Array.from({ length: 1_000_000 }, (_, index) => index * 2654435761).buffer,
);

async function file() {
  const path = join(testFolder(), 'file');
  const handle = await open(path, 'w+');
  onTestFinished(() => handle.close().catch(() => undefined));
  return { handle, read: () => readFile(path) };
}

const still = () => 1;
/** Hands pieces over, every other one in the memory that was given for it. */
function fill(blocks: Blocks, sizes: readonly number[]): void {
  for (let at = 0, nth = 0; at < bytes.length; nth += 1) {
    const size = Math.min(sizes[nth % sizes.length] ?? 1, bytes.length - at);
    const piece = nth % 2 === 0 ? bytes.subarray(at, at + size) : inPlace(blocks, at, size);
    at += piece.length;
    blocks.take(piece);
    expect(blocks.end).toBe(at);
  }
}

function inPlace(blocks: Blocks, at: number, size: number): Buffer {
  const memory = blocks.memory();
  expect(memory.length).toBeGreaterThan(0);
  const copied = bytes.copy(memory, 0, at, at + size);
  return memory.subarray(0, copied);
}

describe('bytes in blocks', () => {
  it.each([[[65_536, 16_384, 7, 70_001, 1, 300_000]], [[bytes.length]]])(
    'come in order, in pieces of %j',
    async (sizes) => {
      const { handle, read } = await file();
      const blocks = new Blocks(handle, 0, still);
      fill(blocks, sizes);
      await blocks.sync();
      expect((await read()).equals(bytes)).toBe(true);
    },
  );

  it('are in the file half a second after they came, though no block is full', async () => {
    let now = 1000;
    const { handle, read } = await file();
    const blocks = new Blocks(handle, 0, () => now);
    blocks.take(Buffer.from('a'));
    now += 499;
    blocks.take(Buffer.from('b'));
    expect(await read()).toHaveLength(0);
    now += 1;
    blocks.take(Buffer.from('c'));
    expect((await read()).toString()).toBe('abc');
  });

  it('that could not be written fail all that comes after; what is there is a beginning', async () => {
    const { handle, read } = await file();
    const blocks = new Blocks(handle, 0, still);
    blocks.take(bytes.subarray(0, 1_000_000));
    blocks.flush();
    await handle.close();
    const failure = /EBADF|out of range|bad file/i;
    expect(() => {
      blocks.take(bytes.subarray(1_000_000));
    }).toThrow(failure);
    expect(() => {
      blocks.flush();
    }).toThrow(failure);
    await expect(blocks.sync()).rejects.toThrow(failure);
    expect((await read()).equals(bytes.subarray(0, 1_000_000))).toBe(true);
  });
});
