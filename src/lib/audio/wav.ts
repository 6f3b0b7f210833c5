/** WAV files, chunk by chunk, without holding their sound. */
import { textShares } from '../text-pieces.js';
import { exactly, type ByteSource, type SizedSource } from './source.js';

export interface WavFormat {
  /** 1 is whole numbers, 3 floating point; others are packed. */
  readonly encoding: number;
  readonly channels: number;
  /** Hertz. */
  readonly sampleRate: number;
  readonly bytesPerSecond: number;
  /** Bytes of one moment of all channels. */
  readonly blockBytes: number;
  readonly bitsPerSample: number;
  /** The body of the chunk that says all this, as it came. */
  readonly chunk: Buffer;
}

export interface WavHead {
  readonly format: WavFormat;
  /** Where the sound begins, and where it was said to end; undefined when the rest is sound. */
  readonly dataFrom: number;
  readonly dataTo: number | undefined;
  /** LIST chunks before the sound, whole. */
  readonly lists: readonly Buffer[];
}

export interface WavFile extends WavHead {
  /** Where the sound ends, in whole blocks. */
  readonly dataTo: number;
  /** Marks in the sound, in blocks from its beginning, in order. */
  readonly marks: readonly number[];
}

/** Said where a length is not known yet: by all who write WAV to a pipe. */
const unknownLength = 0xffffffff;
/** The encoding that names the real one further on. */
const extensible = 0xfffe;
/** Chunks larger than this hold no notes of ours. */
const mostNoteBytes = 4 * 1024 * 1024;
const markBytes = 24;
/** A file of more chunks was made to keep its reader busy; a long speech in pieces has hundreds. */
const mostChunks = 10_000;

/** What stands before the sound; undefined when it is no WAV file, or none with a sound. */
export async function readWavHead(source: ByteSource): Promise<WavHead | undefined> {
  const start = (await exactly(source, 0, 12)).toString('latin1');
  if (!/^(?:RIFF|RF64)[^]{4}WAVE$/.test(start)) return undefined;
  let format: WavFormat | undefined;
  const lists: Buffer[] = [];
  let at = 12;
  for (let count = 0; count < mostChunks; count++) {
    const chunk = await chunkAt(source, at);
    if (!chunk) return undefined;
    const { name, length } = chunk;
    if (name === 'data') {
      const isOpen = length === 0 || length === unknownLength;
      return (
        format && { format, dataFrom: at + 8, dataTo: isOpen ? undefined : at + 8 + length, lists }
      );
    }
    if (name === 'fmt ') format = formatIn(await exactly(source, at + 8, Math.min(length, 64)));
    if (name === 'LIST') lists.push(...(await noteAt(source, at, length)));
    at += 8 + length + (length % 2);
  }
  return undefined;
}

/** The whole file; undefined when it is no WAV file, or none with a sound. */
export async function readWav(source: SizedSource): Promise<WavFile | undefined> {
  const head = await readWavHead(source);
  if (!head) return undefined;
  const { dataFrom, format } = head;
  const told = head.dataTo ?? source.length;
  const lists = [...head.lists];
  let marks: number[] = [];
  let at = told + ((told - dataFrom) % 2);
  for (let count = 0; at + 8 <= source.length && count < mostChunks; count++) {
    const chunk = await chunkAt(source, at);
    if (!chunk) break;
    if (chunk.name === 'LIST') lists.push(...(await noteAt(source, at, chunk.length)));
    if (chunk.name === 'cue ') marks = marksIn(...(await noteAt(source, at, chunk.length)));
    at += 8 + chunk.length + (chunk.length % 2);
  }
  const dataTo = Math.min(told, source.length);
  const rest = (dataTo - dataFrom) % format.blockBytes;
  return { ...head, lists, marks, dataTo: dataTo - rest };
}

/** How long its sound is; undefined when there is none. */
export async function wavSeconds(source: SizedSource): Promise<number | undefined> {
  const file = await readWav(source);
  if (!file) return undefined;
  const { dataFrom, dataTo, format } = file;
  const { encoding, sampleRate, blockBytes, bytesPerSecond } = format;
  // Of samples that are not packed, their number and rate tell more than what a head says of both.
  const isPacked = encoding !== 1 && encoding !== 3;
  const seconds = (dataTo - dataFrom) / (isPacked ? bytesPerSecond : sampleRate * blockBytes);
  return seconds > 0 && Number.isFinite(seconds) ? seconds : undefined;
}

async function chunkAt(source: ByteSource, at: number) {
  const head = await exactly(source, at, 8);
  if (head.length < 8) return undefined;
  return { name: head.toString('latin1', 0, 4), length: head.readUInt32LE(4) };
}

/** The chunk with its head, on an even number of bytes; none when it is too large or cut off. */
async function noteAt(source: ByteSource, at: number, length: number): Promise<Buffer[]> {
  if (length > mostNoteBytes) return [];
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
  return format.blockBytes > 0 && format.bytesPerSecond > 0 && format.channels > 0
    ? format
    : undefined;
}

function marksIn(chunk?: Buffer): number[] {
  if (!chunk || chunk.length < 12) return [];
  const count = Math.min(chunk.readUInt32LE(8), Math.floor((chunk.length - 12) / markBytes));
  const marks = Array.from({ length: count }, (_, index) =>
    chunk.readUInt32LE(12 + index * markBytes + 20),
  );
  return marks.sort((one, other) => one - other);
}

/**
 * What stands before the sound in a WAV file.
 * @param dataBytes undefined where the length is not known yet: then both lengths are the largest
 * number, which readers take for "until the end".
 * @param tailBytes of the chunks after the sound.
 */
export function wavHead(
  format: Pick<WavFormat, 'chunk'>,
  dataBytes: number | undefined,
  tailBytes = 0,
): Buffer {
  const { chunk } = format;
  const head = Buffer.alloc(12 + 8 + chunk.length + 8);
  const riffBytes =
    dataBytes === undefined ? unknownLength : wavBytes(format, dataBytes, tailBytes) - 8;
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(riffBytes, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(chunk.length, 16);
  chunk.copy(head, 20);
  head.write('data', 20 + chunk.length, 'latin1');
  head.writeUInt32LE(dataBytes ?? unknownLength, 24 + chunk.length);
  return head;
}

/** How long such a file is. */
export function wavBytes(
  { chunk }: Pick<WavFormat, 'chunk'>,
  dataBytes: number,
  tailBytes: number,
): number {
  return 28 + chunk.length + dataBytes + (dataBytes % 2) + tailBytes;
}

/** The largest file that the lengths in a WAV file can tell. */
export const mostWavBytes = unknownLength;

/** A chunk of marks in the sound, in blocks from its beginning; players show them as chapters. */
export function markChunk(marks: readonly number[]): Buffer {
  const chunk = Buffer.alloc(12 + marks.length * markBytes);
  chunk.write('cue ', 0, 'latin1');
  chunk.writeUInt32LE(chunk.length - 8, 4);
  chunk.writeUInt32LE(marks.length, 8);
  for (const [index, mark] of marks.entries()) {
    const at = 12 + index * markBytes;
    chunk.writeUInt32LE(index + 1, at);
    chunk.writeUInt32LE(mark, at + 4);
    chunk.write('data', at + 8, 'latin1');
    chunk.writeUInt32LE(mark, at + 20);
  }
  return chunk;
}

/** A note by its RIFF name of four letters: INAM title, ICMT comment, ISFT software. */
interface Note {
  readonly name: string;
  readonly text: string;
}

const comment = 'ICMT';

/** The comments, in order. */
export function commentsIn(lists: readonly Buffer[]): string[] {
  return notesIn(lists).flatMap(({ name, text }) => (name === comment ? [text] : []));
}

/** How many bytes each of the lists of `sharedLists` has at most. */
export function mostSharedBytes(lists: readonly Buffer[]): number {
  return sharedLists(lists, [1]).reduce((sum, { length }) => sum + length, 0);
}

/**
 * A list for each part of a sound that these lists belong to: what is said is shared out, between
 * words; all else stands in each. None where nothing is said.
 * @param ends where each part ends, as a share of the whole; the last is 1.
 */
export function sharedLists(lists: readonly Buffer[], ends: readonly number[]): Buffer[] {
  const said = commentsIn(lists).join('');
  if (said === '') return [];
  const others = notesIn(lists).filter(({ name }) => name !== comment);
  return textShares(said, ends).map((text) => listOf([...others, { name: comment, text }]));
}

export function notesIn(lists: readonly Buffer[]): Note[] {
  return lists.flatMap((list) => {
    const notes: Note[] = [];
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

export function listOf(notes: readonly Note[]): Buffer {
  const entries = notes.map(({ name, text }) => chunk(name, Buffer.from(`${text}\0`, 'utf8')));
  return chunk('LIST', Buffer.concat([Buffer.from('INFO', 'latin1'), ...entries]));
}

/** A chunk ends on an even byte; its length does not count the byte added for that. */
function chunk(name: string, content: Buffer): Buffer {
  const bytes = Buffer.alloc(8 + content.length + (content.length % 2));
  bytes.write(name, 0, 'latin1');
  bytes.writeUInt32LE(content.length, 4);
  content.copy(bytes, 8);
  return bytes;
}
