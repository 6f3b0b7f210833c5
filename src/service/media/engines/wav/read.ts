/** Reads WAV files by their chunks, without holding their sound. */
import { bufferOf } from '../sources.js';
import type { ByteSource } from '../types.js';

export interface WavFile {
  /** 1 is PCM, 3 is floating point; others are packed. */
  readonly encoding: number;
  readonly channels: number;
  readonly sampleRate: number;
  readonly bitsPerSample: number;
  /** Bytes of one moment of all channels. */
  readonly blockBytes: number;
  readonly bytesPerSecond: number;
  /** Where the samples lie. */
  readonly dataFrom: number;
  readonly dataTo: number;
  /** The notes of all LIST INFO chunks, in the order they stand in. */
  readonly notes: readonly { readonly name: string; readonly text: string }[];
}

/** A LIST chunk larger than this holds no notes of ours. */
const mostListBytes = 1024 * 1024;
/** A file of more chunks was made to keep its reader busy; a long speech in pieces has hundreds. */
const mostChunks = 10_000;
/** The encoding that names the real one further on. */
const extensible = 0xfffe;

/** The file's parts; undefined when it is no WAV file or has no sound. */
export async function readWav(source: ByteSource): Promise<WavFile | undefined> {
  const start = bufferOf(await source.read(0, 12)).toString('latin1');
  if (!/^(RIFF|RF64)[^]{4}WAVE$/.test(start)) return undefined;
  let format: Buffer | undefined;
  let data: { from: number; to: number } | undefined;
  const notes: { name: string; text: string }[] = [];
  for (let at = 12, count = 0; at + 8 <= source.byteLength && count < mostChunks; count++) {
    const head = bufferOf(await source.read(at, 8));
    const name = head.toString('latin1', 0, 4);
    // What follows the last chunk without a name, such as zeros, is none.
    if (!/^[ -~]{4}$/.test(name)) break;
    const from = at + 8;
    const told = head.readUInt32LE(4);
    // A writer that could not know the length left 0 or the largest number: the rest is sound.
    const open = name === 'data' && (told === 0 || told === 0xffffffff);
    const to = open ? source.byteLength : Math.min(source.byteLength, from + told);
    if (name === 'fmt ') format = bufferOf(await source.read(from, Math.min(40, to - from)));
    if (name === 'data') data ??= { from, to };
    // Half of a list would tell half of a text.
    if (name === 'LIST' && told <= mostListBytes && from + told <= source.byteLength) {
      notes.push(...infoNotes(bufferOf(await source.read(from, to - from))));
    }
    at = to + (told % 2);
  }
  if (!format || format.length < 16 || !data) return undefined;
  const encoding = format.readUInt16LE(0);
  const file = {
    encoding: encoding === extensible && format.length >= 26 ? format.readUInt16LE(24) : encoding,
    channels: format.readUInt16LE(2),
    sampleRate: format.readUInt32LE(4),
    bytesPerSecond: format.readUInt32LE(8),
    blockBytes: format.readUInt16LE(12),
    bitsPerSample: format.readUInt16LE(14),
    dataFrom: data.from,
    dataTo: data.to,
    notes,
  };
  const { bytesPerSecond, blockBytes, channels, sampleRate } = file;
  return Math.min(bytesPerSecond, blockBytes, channels, sampleRate) > 0 ? file : undefined;
}

function infoNotes(list: Buffer): { name: string; text: string }[] {
  if (list.toString('latin1', 0, 4) !== 'INFO') return [];
  const notes: { name: string; text: string }[] = [];
  for (let at = 4; at + 8 <= list.length;) {
    const length = list.readUInt32LE(at + 4);
    const text = list.toString('utf8', at + 8, Math.min(list.length, at + 8 + length));
    // The NUL that ends a note is none of its text.
    const bare = text.endsWith('\0') ? text.slice(0, -1) : text;
    notes.push({ name: list.toString('latin1', at, at + 4), text: bare });
    at += 8 + length + (length % 2);
  }
  return notes;
}
