/** WAV files: written as 16-bit PCM, read by their chunks without holding their sound. */
import { readBuffer, type ByteSource } from './types.js';

/** What a sound of whole samples is like. */
export interface SoundFormat {
  readonly sampleRate: number;
  readonly channels: 1 | 2;
  /** How many samples each channel has. */
  readonly frames: number;
}

export interface Sound extends SoundFormat {
  /** The samples, channels interleaved. A piece may be written over after its turn. */
  pieces(): Iterable<Int16Array>;
}

const pieceFrames = 4096;

/** A sound whose samples, -1 to 1, are made frame by frame; `begin` starts anew for each reading. */
export function soundOf(
  sampleRate: number,
  channels: 1 | 2,
  frames: number,
  begin: () => (frame: number, channel: number) => number,
): Sound {
  const pieces = function* () {
    const next = begin();
    for (let from = 0; from < frames; from += pieceFrames) {
      const length = channels * Math.min(pieceFrames, frames - from);
      yield Int16Array.from({ length }, (_, at) => {
        return next(from + Math.floor(at / channels), at % channels) * 32_767;
      });
    }
  };
  return { sampleRate, channels, frames, pieces };
}

/** Notes by their RIFF name of four letters: INAM title, ICMT comment, ISFT software. */
type Notes = Readonly<Record<string, string>>;

/** After this many samples the event loop gets its turn. */
const samplesBetweenTurns = 1 << 18;
const headBytes = 44;

/** How many bytes a sound's samples take. */
export function soundBytes({ frames, channels }: SoundFormat): number {
  return frames * channels * 2;
}

/** How many bytes the WAV file of a sound takes. */
export function wavBytes(sound: SoundFormat, notes: Notes): number {
  return headBytes + soundBytes(sound) + infoList(notes).length;
}

/**
 * The bytes of a WAV file. Its notes come last, for many readers take it that the sound begins at
 * byte 44. A note may hold any text, NULs too; readers show it up to the first.
 */
export async function* encodeWav(sound: Sound, notes: Notes): AsyncGenerator<Uint8Array> {
  const { sampleRate, channels } = sound;
  const head = Buffer.alloc(headBytes);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(wavBytes(sound, notes) - 8, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20); // PCM
  head.writeUInt16LE(channels, 22);
  head.writeUInt32LE(sampleRate, 24);
  head.writeUInt32LE(sampleRate * channels * 2, 28);
  head.writeUInt16LE(channels * 2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(soundBytes(sound), 40);
  yield head;
  yield* littleEndian(sound);
  yield infoList(notes);
}

/** The samples alone, as they stand in a WAV file: 16 bits, little-endian, interleaved. */
export async function* littleEndian(sound: Sound): AsyncGenerator<Uint8Array> {
  let samples = 0;
  for (const piece of sound.pieces()) {
    const bytes = Buffer.alloc(piece.length * 2);
    piece.forEach((sample, index) => bytes.writeInt16LE(sample, index * 2));
    yield bytes;
    samples += piece.length;
    if (samples < samplesBetweenTurns) continue;
    samples = 0;
    await new Promise(setImmediate);
  }
}

function infoList(notes: Notes): Buffer {
  const entries = Object.entries(notes).map(([name, text]) =>
    chunk(name, Buffer.from(`${text}\0`, 'utf8')),
  );
  return chunk('LIST', Buffer.concat([Buffer.from('INFO', 'latin1'), ...entries]));
}

/** A chunk ends on an even byte; its length does not count the byte added for that. */
function chunk(name: string, data: Buffer): Buffer {
  const bytes = Buffer.alloc(8 + data.length + (data.length % 2));
  bytes.write(name, 0, 'latin1');
  bytes.writeUInt32LE(data.length, 4);
  data.copy(bytes, 8);
  return bytes;
}

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
  readonly notes: readonly Note[];
}

interface Note {
  readonly name: string;
  readonly text: string;
}

/** A LIST chunk larger than this holds no notes of ours. */
const mostListBytes = 1024 * 1024;
/** A file of more chunks was made to keep its reader busy; a long speech in pieces has hundreds. */
const mostChunks = 10_000;
/** The encoding that names the real one further on. */
const extensible = 0xfffe;

/** The file's parts; undefined when it is no WAV file or has no sound. */
export async function readWav(source: ByteSource): Promise<WavFile | undefined> {
  const start = (await readBuffer(source, 0, 12)).toString('latin1');
  if (!/^(RIFF|RF64)[^]{4}WAVE$/.test(start)) return undefined;
  let format: Buffer = Buffer.alloc(0);
  let data: { from: number; to: number } | undefined;
  const notes: Note[] = [];
  for (let at = 12, count = 0; at + 8 <= source.byteLength && count < mostChunks; count++) {
    const head = await readBuffer(source, at, 8);
    const name = head.toString('latin1', 0, 4);
    // What follows the last chunk without a name, such as zeros, is none.
    if (!/^[ -~]{4}$/.test(name)) break;
    const from = at + 8;
    const length = head.readUInt32LE(4);
    // A writer that could not know the length left 0 or the largest number: the rest is sound.
    const isOpen = name === 'data' && (length === 0 || length === 0xffffffff);
    const to = isOpen ? source.byteLength : Math.min(source.byteLength, from + length);
    if (name === 'fmt ') format = await readBuffer(source, from, Math.min(40, to - from));
    if (name === 'data') data ??= { from, to };
    // Half of a list would tell half of a text.
    if (name === 'LIST' && length <= mostListBytes && from + length <= source.byteLength) {
      notes.push(...notesIn(await readBuffer(source, from, length)));
    }
    at = to + (length % 2);
  }
  if (format.length < 16 || !data) return undefined;
  const encoding = format.readUInt16LE(0);
  const file = {
    encoding: encoding === extensible && format.length >= 26 ? format.readUInt16LE(24) : encoding,
    channels: format.readUInt16LE(2),
    sampleRate: format.readUInt32LE(4),
    bytesPerSecond: format.readUInt32LE(8),
    blockBytes: format.readUInt16LE(12),
    bitsPerSample: format.readUInt16LE(14),
    ...{ dataFrom: data.from, dataTo: data.to, notes },
  };
  const { bytesPerSecond, blockBytes, channels, sampleRate } = file;
  return Math.min(bytesPerSecond, blockBytes, channels, sampleRate) > 0 ? file : undefined;
}

function notesIn(list: Buffer): readonly Note[] {
  const notes: Note[] = [];
  if (list.toString('latin1', 0, 4) !== 'INFO') return notes;
  for (let at = 4; at + 8 <= list.length;) {
    const length = list.readUInt32LE(at + 4);
    const text = list.toString('utf8', at + 8, Math.min(list.length, at + 8 + length));
    // The NUL that ends a note is none of its text.
    notes.push({ name: list.toString('latin1', at, at + 4), text: text.replace(/\0$/, '') });
    at += 8 + length + (length % 2);
  }
  return notes;
}

export interface Samples extends SoundFormat {
  /** The frames from one up to, not including, another; channels interleaved. */
  read(from: number, to: number): Promise<Int16Array>;
}

/** How a sample is read, by encoding and bits. */
const readers: Readonly<Record<string, (bytes: Buffer, offset: number) => number>> = {
  '1/8': (bytes, offset) => (bytes.readUInt8(offset) - 128) << 8,
  '1/16': (bytes, offset) => bytes.readInt16LE(offset),
  '1/24': (bytes, offset) => bytes.readIntLE(offset, 3) >> 8,
  '1/32': (bytes, offset) => bytes.readInt32LE(offset) >> 16,
  '3/32': (bytes, offset) =>
    Math.max(-32_768, Math.min(32_767, Math.round(bytes.readFloatLE(offset) * 32_767))),
};

/** A WAV file's samples as 16 bits, of its first two channels; undefined when they are packed. */
export function samplesOf(source: ByteSource, wav: WavFile): Samples | undefined {
  const { encoding, bitsPerSample, blockBytes, dataFrom, dataTo, sampleRate } = wav;
  const sampleBytes = bitsPerSample / 8;
  const reader = readers[`${encoding}/${bitsPerSample}`];
  if (!reader || blockBytes < sampleBytes * wav.channels) return undefined;
  const channels = wav.channels === 1 ? 1 : 2;
  return {
    sampleRate,
    channels,
    frames: Math.floor((dataTo - dataFrom) / blockBytes),
    read: async (from, to) => {
      const bytes = await readBuffer(
        source,
        dataFrom + from * blockBytes,
        (to - from) * blockBytes,
      );
      const length = Math.floor(bytes.length / blockBytes) * channels;
      return Int16Array.from({ length }, (_, index) => {
        const frame = Math.floor(index / channels);
        return reader(bytes, frame * blockBytes + (index % channels) * sampleBytes);
      });
    },
  };
}
