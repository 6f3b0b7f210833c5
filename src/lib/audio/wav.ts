/** WAV files, chunk by chunk, without holding their audio. */
import { exactly, type ByteSource, type SizedSource } from './source.js';

export interface WavFormat {
  /** 1 means integers, 3 floating point; others are compressed. */
  readonly encoding: number;
  readonly channels: number;
  readonly sampleRate: number;
  readonly bytesPerSecond: number;
  /** Of one moment of all channels. */
  readonly blockBytes: number;
  readonly bitsPerSample: number;
  /** The chunk itself, without its head. */
  readonly chunk: Buffer;
}

export interface WavFile {
  readonly format: WavFormat;
  /** The start and end of the audio, in whole blocks. */
  readonly dataFrom: number;
  readonly dataTo: number;
  /** LIST chunks with their headers. */
  readonly lists: readonly Buffer[];
  /** Marks in the audio, in blocks from its start, in order. */
  readonly marks: readonly number[];
}

/** The largest length in a WAV file; also written for an unknown length. */
export const maxWavBytes = 0xffffffff;
/** The encoding that refers to another field. */
const extensible = 0xfffe;
/** Larger chunks do not contain our notes. */
const maxNoteBytes = 4 * 1024 * 1024;
const markBytes = 24;
/** A file with more chunks is malicious; a long speech in pieces has hundreds. */
const maxChunks = 10_000;

/** @param size Infinity for an arriving file, which is read up to its audio. */
export async function readWav(
  source: SizedSource,
  size = source.length,
): Promise<WavFile | undefined> {
  const start = (await exactly(source, 0, 12)).toString('latin1');
  if (!/^(?:RIFF|RF64|BW64)[^]{4}WAVE$/.test(start)) return undefined;
  let format: WavFormat | undefined;
  let dataFrom = 0;
  let dataTo = size;
  let marks: number[] = [];
  const lists: Buffer[] = [];
  for await (const { name, at, length } of chunksIn(source)) {
    if (name === 'LIST') lists.push(...(await noteAt(source, at, length)));
    if (name === 'cue ') marks = marksIn(...(await noteAt(source, at, length)));
    if (dataFrom > 0) continue;
    if (name === 'fmt ') format = formatIn(await exactly(source, at + 8, Math.min(length, 64)));
    if (name !== 'data') continue;
    dataFrom = at + 8;
    if (length === 0 || length === maxWavBytes) break;
    dataTo = Math.min(size, dataFrom + length);
    if (size === Infinity) break;
  }
  if (!format || dataFrom === 0) return undefined;
  const cut = (dataTo - dataFrom) % format.blockBytes || 0;
  return { format, dataFrom, dataTo: dataTo - cut, lists, marks };
}

export async function wavSeconds(source: SizedSource): Promise<number | undefined> {
  const file = await readWav(source);
  if (!file) return undefined;
  const { encoding, sampleRate, blockBytes, bytesPerSecond } = file.format;
  // Uncompressed samples are counted: the bytes per second in a header may be wrong.
  const rate = [1, 3].includes(encoding) ? sampleRate * blockBytes : bytesPerSecond;
  const seconds = (file.dataTo - file.dataFrom) / rate;
  return seconds > 0 && Number.isFinite(seconds) ? seconds : undefined;
}

async function* chunksIn(source: ByteSource) {
  let at = 12;
  /** From `ds64`, where a file of more than 4 GiB, or one that could become so, keeps it. */
  let dataBytes = maxWavBytes;
  for (let count = 0; count < maxChunks; count += 1) {
    const head = await exactly(source, at, 8);
    if (head.length < 8) return;
    const name = head.toString('latin1', 0, 4);
    const short = head.readUInt32LE(4);
    if (name === 'ds64') {
      const sizes = await exactly(source, at + 8, 16);
      if (sizes.length === 16) dataBytes = Number(sizes.readBigUInt64LE(8));
    }
    const length = name === 'data' && short === maxWavBytes ? dataBytes : short;
    yield { name, at, length };
    at += 8 + length + (length % 2);
  }
}

/** The chunk with its header, on an even number of bytes; none when too large or truncated. */
async function noteAt(source: ByteSource, at: number, length: number): Promise<Buffer[]> {
  if (length > maxNoteBytes) return [];
  const chunk = await exactly(source, at, 8 + length);
  if (chunk.length < 8 + length) return [];
  return [length % 2 === 0 ? chunk : Buffer.concat([chunk, Buffer.alloc(1)])];
}

function formatIn(chunk: Buffer): WavFormat | undefined {
  if (chunk.length < 16) return undefined;
  const encoding = chunk.readUInt16LE(0);
  const format = {
    encoding: encoding === extensible && chunk.length >= 26 ? chunk.readUInt16LE(24) : encoding,
    channels: chunk.readUInt16LE(2),
    sampleRate: chunk.readUInt32LE(4),
    bytesPerSecond: chunk.readUInt32LE(8),
    blockBytes: chunk.readUInt16LE(12),
    bitsPerSample: chunk.readUInt16LE(14),
    chunk,
  };
  const { blockBytes, bytesPerSecond, channels } = format;
  return blockBytes > 0 && bytesPerSecond > 0 && channels > 0 ? format : undefined;
}

function marksIn(chunk?: Buffer): number[] {
  if (!chunk || chunk.length < 12) return [];
  const count = Math.min(chunk.readUInt32LE(8), Math.floor((chunk.length - 12) / markBytes));
  const marks = Array.from({ length: count }, (_, index) =>
    chunk.readUInt32LE(12 + index * markBytes + 20),
  );
  return marks.sort((one, other) => one - other);
}

/** @param dataBytes `maxWavBytes` where unknown: readers take it for "until the end". */
export function wavHead(head: Pick<WavFormat, 'chunk'>, dataBytes: number, tailBytes = 0): Buffer {
  const fileBytes = wavBytes(head, dataBytes, tailBytes);
  return Buffer.concat([
    chunkHead('RIFF', Math.min(fileBytes - 8, maxWavBytes)),
    Buffer.from('WAVE', 'latin1'),
    chunkHead('fmt ', head.chunk.length),
    head.chunk,
    chunkHead('data', dataBytes),
  ]);
}

export function wavBytes(
  { chunk }: Pick<WavFormat, 'chunk'>,
  dataBytes: number,
  tailBytes: number,
): number {
  return 28 + chunk.length + dataBytes + (dataBytes % 2) + tailBytes;
}

/** A chunk of marks in the audio, in blocks from its start; players show them as chapters. */
export function markChunk(marks: readonly number[]): Buffer {
  const content = Buffer.alloc(4 + marks.length * markBytes);
  content.writeUInt32LE(marks.length);
  for (const [index, mark] of marks.entries()) {
    const at = 4 + index * markBytes;
    content.writeUInt32LE(index + 1, at);
    content.writeUInt32LE(mark, at + 4);
    content.write('data', at + 8, 'latin1');
    content.writeUInt32LE(mark, at + 20);
  }
  return chunk('cue ', content);
}

/** Each by its four-letter RIFF name: INAM title, ICMT comment, ISFT software. */
export function notesIn(lists: readonly Buffer[]) {
  return lists.flatMap((list) => {
    const notes: { name: string; text: string }[] = [];
    if (list.toString('latin1', 8, 12) !== 'INFO') return notes;
    for (let at = 12; at + 8 <= list.length;) {
      const length = list.readUInt32LE(at + 4);
      const text = list.toString('utf8', at + 8, Math.min(list.length, at + 8 + length));
      notes.push({ name: list.toString('latin1', at, at + 4), text: text.replace(/\0$/, '') });
      at += 8 + length + (length % 2);
    }
    return notes;
  });
}

export function commentsIn(lists: readonly Buffer[]): string[] {
  return notesIn(lists).flatMap(({ name, text }) => (name === 'ICMT' ? [text] : []));
}

export function listOf(notes: ReturnType<typeof notesIn>): Buffer {
  const entries = notes.map(({ name, text }) => chunk(name, Buffer.from(`${text}\0`, 'utf8')));
  return chunk('LIST', Buffer.concat([Buffer.from('INFO', 'latin1'), ...entries]));
}

/** A chunk ends on an even byte; its length does not count the padding. */
function chunk(name: string, content: Buffer): Buffer {
  const { length } = content;
  return Buffer.concat([chunkHead(name, length), content, Buffer.alloc(length % 2)]);
}

function chunkHead(name: string, length: number): Buffer {
  const head = Buffer.from(`${name}\0\0\0\0`, 'latin1');
  head.writeUInt32LE(length, 4);
  return head;
}
