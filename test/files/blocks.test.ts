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
/** Each look at the time is a second later: a disk on which every write is slow. */
const slow = () => {
  let now = 0;
  return () => (now += 1000);
};

/** Hands pieces over, every other one in the memory that was given for it; waits when told to. */
async function fill(blocks: Blocks, sizes: readonly number[]): Promise<{ waits: number }> {
  let waits = 0;
  for (let at = 0, nth = 0; at < bytes.length; nth += 1) {
    const size = Math.min(sizes[nth % sizes.length] ?? 1, bytes.length - at);
    const piece = nth % 2 === 0 ? bytes.subarray(at, at + size) : inPlace(blocks, at, size);
    at += piece.length;
    const busy = blocks.take(piece);
    if (busy) {
      waits += 1;
      await busy;
    }
    expect(blocks.end).toBe(at);
  }
  return { waits };
}

function inPlace(blocks: Blocks, at: number, size: number): Buffer {
  const memory = blocks.memory();
  expect(memory.length).toBeGreaterThan(0);
  const copied = bytes.copy(memory, 0, at, at + size);
  return memory.subarray(0, copied);
}

describe('bytes in blocks', () => {
  it.each([
    ['a disk that keeps up', still],
    ['a slow disk', slow()],
  ])('come in order to %s, whatever pieces they come in', async (_, now) => {
    const { handle, read } = await file();
    const blocks = new Blocks(handle, 0, now);
    await fill(blocks, [65_536, 16_384, 7, 70_001, 1, 300_000]);
    await blocks.flush();
    expect((await read()).equals(bytes)).toBe(true);
  });

  it('come in order when one piece is larger than many blocks', async () => {
    for (const now of [still, slow()]) {
      const { handle, read } = await file();
      const blocks = new Blocks(handle, 0, now);
      await blocks.take(bytes);
      await blocks.sync();
      expect((await read()).equals(bytes)).toBe(true);
    }
  });

  it('follow on what is in the file', async () => {
    const { handle, read } = await file();
    await handle.write(bytes.subarray(0, 1000));
    const blocks = new Blocks(handle, 1000, still);
    await blocks.take(bytes.subarray(1000));
    await blocks.flush();
    expect((await read()).equals(bytes)).toBe(true);
    blocks.moveTo(0);
    await blocks.take(Buffer.from('anew'));
    await blocks.flush();
    expect((await read()).subarray(0, 4).toString()).toBe('anew');
  });

  it('are in the file half a second after they came, though no block is full', async () => {
    let now = 1000;
    const { handle, read } = await file();
    const blocks = new Blocks(handle, 0, () => now);
    await blocks.take(Buffer.from('a'));
    now += 499;
    await blocks.take(Buffer.from('b'));
    expect(await read()).toHaveLength(0);
    now += 1;
    await blocks.take(Buffer.from('c'));
    expect((await read()).toString()).toBe('abc');
  });

  it('are held back while a slow disk has two blocks to write, and take no more memory', async () => {
    const { handle } = await file();
    const ours = new Set<ArrayBufferLike>();
    const blocks = new Blocks(handle, 0, slow());
    await blocks.take(Buffer.alloc(600_000));
    for (let nth = 0; nth < 100; nth += 1) {
      const memory = blocks.memory();
      ours.add(memory.buffer);
      await blocks.take(memory);
    }
    await blocks.flush();
    expect(ours.size).toBeLessThanOrEqual(3);
  });
});

describe('a disk that fails', () => {
  it('fails what comes next, and every flush after; what is there is a beginning', async () => {
    const { handle, read } = await file();
    const blocks = new Blocks(handle, 0, slow());
    // The first block is written at once, and found to be slow.
    await blocks.take(bytes.subarray(0, 500_000));
    await blocks.take(bytes.subarray(500_000, 1_000_000));
    await blocks.flush();
    const full = Object.assign(new Error('full'), { code: 'ENOSPC' });
    Reflect.set(handle, 'write', () => Promise.reject(full));
    const more = async () => {
      for (let at = 1_000_000; ; at += 500_000) await blocks.take(bytes.subarray(at, at + 500_000));
    };
    await expect(more()).rejects.toThrow('full');
    await expect(blocks.flush()).rejects.toThrow('full');
    await expect(blocks.sync()).rejects.toThrow('full');
    expect((await read()).equals(bytes.subarray(0, 1_000_000))).toBe(true);
  });

  it('fails at once where it writes at once', async () => {
    const { handle } = await file();
    await handle.close();
    const blocks = new Blocks(handle, 0, still);
    expect(() => blocks.take(bytes)).toThrow(/EBADF|out of range|bad file/i);
  });
});
