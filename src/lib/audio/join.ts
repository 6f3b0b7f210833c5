/** Joins audio that was made in pieces into one file, where its format allows that. */
import { fileKindOf, kindBytes } from '../file-kind.js';
import { mergedTag, soundFrom, tagEnd } from './mp3.js';
import { oggPages } from './ogg.js';
import { exactly, span, type ByteSource, type SizedSource } from './source.js';
import { markChunk, maxWavBytes, readWav, wavBytes, wavHead } from './wav.js';
import type { WavFile, WavFormat } from './wav.js';

/** The end of a sentence about why pieces cannot be one file. */
export class CannotJoin extends Error {
  override readonly name = 'CannotJoin';
}

/** FLAC cannot be joined: its frames are numbered. */
const joinable = /^audio\/(?:aac|mpeg|ogg|opus|wav)$/;

async function joinableKind(source: ByteSource, format = 'file'): Promise<string> {
  const mediaType = fileKindOf(await exactly(source, 0, kindBytes))?.mediaType ?? '';
  // Raw samples may look like frames of another format by chance.
  if (format === 'pcm' && mediaType !== 'audio/wav') return format;
  if (joinable.test(mediaType)) return mediaType;
  throw new CannotJoin(`the format ${format} does not allow it`);
}

/** Joins pieces as they arrive: written bytes never change later. */
export function joiner(format: string | undefined) {
  const serials = new Set<number>();
  let kind: string | undefined;
  let first: WavFormat | undefined;
  /** The bytes that the next piece adds. @throws CannotJoin */
  return async function* add(source: SizedSource, isLast: boolean): AsyncGenerator<Buffer> {
    kind ??= await joinableKind(source, format);
    if (kind === 'audio/mpeg') yield* mp3Frames(source, isLast);
    else if (kind === 'audio/ogg' || kind === 'audio/opus') yield* oggPages(source, serials);
    else if (kind !== 'audio/wav') yield* span(source, 0);
    else {
      const wav = await wavOf(source, first, Infinity);
      // One header without a length, as usual in a pipe; notes after the audio would be played.
      if (!first) yield wavHead(wav.format, maxWavBytes);
      first = wav.format;
      yield* span(source, wav.dataFrom, wav.dataTo);
      // An arriving source shows only at its end whether it is complete.
      const rest = span(source, wav.dataTo);
      while (!(await rest.next()).done);
    }
  };
}

const endTagBytes = 128;

/** Only the frames: some decoders treat tags in the middle of a file as errors. */
async function* mp3Frames(
  source: ByteSource,
  isLast: boolean,
): AsyncGenerator<Buffer, void, undefined> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of span(source, await soundFrom(source, await tagEnd(source)))) {
    const all = Buffer.concat([rest, piece]);
    const sure = Math.max(0, all.length - endTagBytes);
    if (sure > 0) yield all.subarray(0, sure);
    rest = all.subarray(sure);
  }
  if (isLast || rest.toString('latin1', 0, 3) !== 'TAG') yield rest;
}

/** A larger tag contains pictures, and stays unchanged. */
const maxTagBytes = 4 * 1024 * 1024;

export type JoinedBytes = () => AsyncIterable<Buffer>;

export async function joinFiles(
  sources: readonly SizedSource[],
  format: string | undefined,
): Promise<JoinedBytes> {
  const kinds = new Set<string>();
  for (const source of sources) kinds.add(await joinableKind(source, format));
  if (kinds.size > 1) throw new CannotJoin('their formats differ');
  if (kinds.has('audio/wav')) return joinWav(sources);
  return async function* () {
    if (kinds.has('audio/mpeg')) {
      const ends = await Promise.all(sources.map(tagEnd));
      const [first] = sources;
      if (first && ends.some((end) => end > maxTagBytes)) yield* span(first, 0, ends[0]);
      else {
        const tags = sources.map((source, index) => exactly(source, 0, ends[index] ?? 0));
        yield mergedTag(await Promise.all(tags));
      }
    }
    const add = joiner(format);
    for (const source of sources) yield* add(source, source === sources.at(-1));
  };
}

/** One header, all audio, a mark for each piece, and the LIST chunks. @throws CannotJoin */
async function joinWav(sources: readonly SizedSource[]): Promise<JoinedBytes> {
  const files: WavFile[] = [];
  const marks: number[] = [];
  let dataBytes = 0;
  for (const source of sources) {
    const wav = await wavOf(source, files[0]?.format);
    files.push(wav);
    marks.push(dataBytes / wav.format.blockBytes);
    dataBytes += wav.dataTo - wav.dataFrom;
  }
  const format = files[0]?.format;
  if (!format) throw new CannotJoin('there are none');
  const tail = Buffer.concat([markChunk(marks), ...files.flatMap(({ lists }) => lists)]);
  if (wavBytes(format, dataBytes, tail.length) > maxWavBytes) {
    throw new CannotJoin('together they are too large for a WAV file');
  }
  return async function* () {
    yield wavHead(format, dataBytes, tail.length);
    for (const [index, source] of sources.entries()) {
      yield* span(source, files[index]?.dataFrom ?? 0, files[index]?.dataTo);
    }
    if (dataBytes % 2 === 1) yield Buffer.alloc(1);
    yield tail;
  };
}

async function wavOf(source: SizedSource, first?: WavFormat, size?: number): Promise<WavFile> {
  const wav = await readWav(source, size);
  if (!wav) throw new CannotJoin('one of them is not a WAV file');
  const facts = ({ encoding, channels, sampleRate, bitsPerSample }: WavFormat) =>
    `${sampleRate} Hz, ${channels} channels, ${bitsPerSample} bits, kind ${encoding}`;
  const [expected, actual] = [facts(first ?? wav.format), facts(wav.format)];
  if (expected === actual) return wav;
  throw new CannotJoin(`their audio differs: ${expected}; ${actual}`);
}
