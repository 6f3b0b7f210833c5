/** Small sound files, as services make them. */
import { joinFiles } from '../../../src/lib/audio/join.js';
import { bufferSource } from '../../../src/lib/audio/source.js';

export async function gathered(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

export async function joined(format: string, ...files: readonly Buffer[]): Promise<Buffer> {
  return gathered((await joinFiles(files.map(bufferSource), format))());
}

export interface WavParts {
  readonly sampleRate?: number;
  readonly channels?: number;
  readonly bits?: number;
  readonly encoding?: number;
  /** Chunks that come before and after the sound. */
  readonly before?: readonly Buffer[];
  readonly after?: readonly Buffer[];
  /** What the head says in place of the true length. */
  readonly told?: number;
}

export function chunk(name: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, 0, 'latin1');
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}

/** A LIST INFO chunk with a comment, and who wrote it. */
export function comment(text: string, software?: string): Buffer {
  const notes = [chunk('ICMT', Buffer.from(`${text}\0`))];
  if (software !== undefined) notes.push(chunk('ISFT', Buffer.from(`${software}\0`)));
  return chunk('LIST', Buffer.concat([Buffer.from('INFO'), ...notes]));
}

export function wav(sound: Buffer, parts: WavParts = {}): Buffer {
  const { sampleRate = 8000, channels = 1, bits = 16, encoding = 1 } = parts;
  const { before = [], after = [], told = sound.length } = parts;
  const format = Buffer.alloc(16);
  const block = (channels * bits) / 8;
  format.writeUInt16LE(encoding, 0);
  format.writeUInt16LE(channels, 2);
  format.writeUInt32LE(sampleRate, 4);
  format.writeUInt32LE(sampleRate * block, 8);
  format.writeUInt16LE(block, 12);
  format.writeUInt16LE(bits, 14);
  const data = chunk('data', sound);
  data.writeUInt32LE(told, 4);
  const body = Buffer.concat([
    Buffer.from('WAVE'),
    chunk('fmt ', format),
    ...before,
    data,
    ...after,
  ]);
  return chunk('RIFF', body);
}

/** Samples of 16 bits: each stretch a length in samples and how loud it is, 0 to 1. */
export function tones(
  ...stretches: readonly (readonly [samples: number, level: number])[]
): Buffer {
  const all = stretches.flatMap(([samples, level]) =>
    Array.from({ length: samples }, (_, at) =>
      Math.round((at % 2 === 0 ? 1 : -1) * level * 30_000),
    ),
  );
  const bytes = Buffer.alloc(all.length * 2);
  for (const [index, sample] of all.entries()) bytes.writeInt16LE(sample, index * 2);
  return bytes;
}

/** A frame of MPEG 2, layer III, 24 kHz, 32 kbit/s, mono: 96 bytes, told apart by a letter. */
export function mp3Frame(letter: string): Buffer {
  return Buffer.concat([Buffer.from([0xff, 0xf3, 0x44, 0xc4]), Buffer.alloc(92, letter)]);
}

/** A silent first frame that tells how many follow. */
export function infoFrame(): Buffer {
  const frame = mp3Frame('\0');
  frame.write('Info', 13, 'latin1');
  return frame;
}

function sized(length: number): Buffer {
  return Buffer.from([21, 14, 7, 0].map((shift) => (length >> shift) & 0x7f));
}

/** An ID3v2.4 tag of text fields and words. */
export function id3(fields: Readonly<Record<string, string>>): Buffer {
  const frames = Object.entries(fields).map(([name, text]) => {
    const content = Buffer.from(`\x03${name === 'USLT' ? 'eng\0' : ''}${text}`);
    return Buffer.concat([Buffer.from(name), sized(content.length), Buffer.alloc(2), content]);
  });
  const content = Buffer.concat(frames);
  return Buffer.concat([Buffer.from('ID3\x04\0\0', 'latin1'), sized(content.length), content]);
}
