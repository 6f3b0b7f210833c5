import { expect, it } from 'vitest';
import { FileEnd } from '../../src/lib/file-end.js';
import { tones, wav } from './audio/files.js';
import { box, counted, flacFrame, ftyp, plainMp3, wholes } from './complete-files.js';

const files = await wholes();
const encode = (text: string) => Buffer.from(text, 'latin1');

function isWhole(file: Buffer, pieceBytes = 64 * 1024): boolean {
  const end = new FileEnd();
  for (let at = 0; at < file.length; at += pieceBytes) {
    end.take(file.subarray(at, at + pieceBytes));
  }
  return end.isWhole;
}

const cuts = (file: Buffer) => [...file.keys()].filter((at) => isWhole(file.subarray(0, at)));

it.each(Object.keys(files))('%s is whole at its end and nowhere before it', (name) => {
  const file = files[name] ?? Buffer.alloc(0);
  for (const pieceBytes of [1, 7, 511, 64 * 1024]) expect(isWhole(file, pieceBytes)).toBe(true);
  expect(cuts(file)).toEqual([]);
});

it('mp3 without a number of frames is complete at the end of any of them', async () => {
  const file = await plainMp3();
  expect(isWhole(file)).toBe(true);
  const frames = cuts(file);
  expect(frames.length).toBeGreaterThan(5);
  expect(frames.length).toBeLessThan(file.length / 40);
});

it('mp3 may end with an old tag, whole', () => {
  const tagged = Buffer.concat([counted(12), encode('TAG'.padEnd(128, ' '))]);
  expect(isWhole(tagged)).toBe(true);
  expect(isWhole(tagged.subarray(0, -1))).toBe(false);
});

it('mp3 with fewer frames than it claims is not complete', () => {
  expect([11, 12, 13].map((told) => isWhole(counted(12, told)))).toEqual([true, true, false]);
});

it.each([
  ['counted frames of the usual size', [0xf8, 0xc0, 0, 0x01], 2 * 4096, true],
  ['a number of two bytes', [0xf8, 0xc0, 0, 0xc2, 0x80], 129 * 4096, true],
  ['counted samples', [0xf9, 0xc0, 0, 0xf0, 0x90, 0x80, 0x80], 0x10000 + 4096, true],
  ['a last frame of 200 samples', [0xf8, 0x60, 0, 0x02, 199], 2 * 4096 + 200, true],
  ['samples that are missing', [0xf8, 0xc0, 0, 0x01], 3 * 4096, false],
  ['no number of samples', [0xf8, 0xc0, 0, 0x01], 0, false],
])('flac of %s is judged by its last frame', (_, head, samples, expected) => {
  expect(isWhole(flacFrame(head, samples))).toBe(expected);
  expect(cuts(flacFrame(head, samples))).toEqual([]);
});

const streamed = (size: number) => {
  const file = wav(tones([500, 0.5]), { told: size });
  file.writeUInt32LE(size, 4);
  return file;
};

it.each([
  ['no bytes', Buffer.alloc(0)],
  ['wav of a length that was not known', streamed(0xffffffff)],
  ['bare samples', tones([5000, 0.5])],
  ['aac', encode('\xff\xf1\x50\x80'.repeat(50))],
  ['mp4 without its index', Buffer.concat([ftyp, box('mdat')])],
  ['mp4 whose last box has no end', Buffer.concat([ftyp, box('moov'), encode('\0\0\0\0mdat')])],
  ['fragments without an index', Buffer.concat([ftyp, box('moov'), box('moof'), box('mdat')])],
  ['zeros', Buffer.alloc(100_000)],
])('%s cannot be recognised as complete', (_, file) => {
  expect(isWhole(file)).toBe(false);
});

it('holds little of a large file', () => {
  const end = new FileEnd();
  const head = box('mdat', Buffer.alloc(8));
  head.writeUInt32BE(0xf0000000);
  end.take(Buffer.concat([ftyp, box('moov'), head]));
  const piece = Buffer.alloc(1024 * 1024);
  const before = process.memoryUsage().arrayBuffers;
  for (let count = 0; count < 3000; count += 1) end.take(piece);
  // Held, it would be three gigabytes; what there is more of is garbage.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 * 1024 * 1024);
  expect(end.isWhole).toBe(false);
});
