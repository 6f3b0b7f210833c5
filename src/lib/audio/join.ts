/** Joins sound that was made in pieces into one file, where its format allows that. */
import { fileKindOf, kindBytes } from '../file-kind.js';
import { mergedTag, soundFrom, tagEnd } from './mp3.js';
import { OggChain } from './ogg.js';
import { exactly, span, type ByteSource, type SizedSource } from './source.js';
import {
  markChunk,
  mostWavBytes,
  readWav,
  readWavHead,
  wavBytes,
  wavHead,
  type WavFile,
  type WavFormat,
} from './wav.js';

type Joinable = 'aac' | 'mp3' | 'ogg' | 'pcm' | 'wav';

const byMediaType: Readonly<Record<string, Joinable>> = {
  'audio/aac': 'aac',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/opus': 'ogg',
  'audio/wav': 'wav',
};

/** Why pieces cannot be one file, as the end of a sentence. */
export class CannotJoin extends Error {
  override readonly name = 'CannotJoin';
}

/** FLAC is none: its frames are numbered through. @throws CannotJoin */
async function joinableKind(source: ByteSource, format = 'file'): Promise<Joinable> {
  const mediaType = fileKindOf(await exactly(source, 0, kindBytes))?.mediaType ?? '';
  // Bare samples may look like the frames of something else by chance.
  const kind = format === 'pcm' && mediaType !== 'audio/wav' ? 'pcm' : byMediaType[mediaType];
  if (kind) return kind;
  throw new CannotJoin(`one ${format} after the other makes no valid file`);
}

/** Joins pieces that arrive one after the other: nothing that was given out changes later. */
export class Joiner {
  readonly #chain = new OggChain();
  #kind: Joinable | undefined;
  #format: WavFormat | undefined;

  constructor(private readonly format: string | undefined) {}

  /** The bytes that the next piece adds. @throws CannotJoin */
  async *add(source: ByteSource, isLast: boolean): AsyncGenerator<Buffer, void, undefined> {
    this.#kind ??= await joinableKind(source, this.format);
    switch (this.#kind) {
      case 'aac':
      case 'pcm':
        yield* span(source, 0);
        break;
      case 'mp3':
        yield* mp3Frames(source, isLast);
        break;
      case 'ogg':
        yield* this.#chain.link(source);
        break;
      case 'wav':
        yield* this.#wav(source);
    }
  }

  /** One head without a length, as all write it to a pipe; notes after a sound would be played. */
  async *#wav(source: ByteSource): AsyncGenerator<Buffer, void, undefined> {
    const head = await readWavHead(source);
    if (!head) throw new CannotJoin('one of them is no WAV file');
    if (this.#format) assertSame(this.#format, head.format);
    else yield wavHead(head.format, undefined);
    this.#format ??= head.format;
    yield* span(source, head.dataFrom, head.dataTo);
    if (head.dataTo === undefined) return;
    // Only at its end does a source that is still arriving say whether it is whole.
    const rest = span(source, head.dataTo);
    while (!(await rest.next()).done);
  }
}

const endTagBytes = 128;

/** The frames alone: tags in the middle of a file are errors to some decoders. */
async function* mp3Frames(
  source: ByteSource,
  isLast: boolean,
): AsyncGenerator<Buffer, void, undefined> {
  let held: Buffer = Buffer.alloc(0);
  for await (const piece of span(source, await soundFrom(source, await tagEnd(source)))) {
    const all = Buffer.concat([held, piece]);
    const sure = Math.max(0, all.length - endTagBytes);
    if (sure > 0) yield all.subarray(0, sure);
    held = all.subarray(sure);
  }
  if (isLast || held.toString('latin1', 0, 3) !== 'TAG') yield held;
}

/** A tag larger than this holds pictures, and stays as it is. */
const mostTagBytes = 4 * 1024 * 1024;

async function* mp3Tag(sources: readonly SizedSource[]): AsyncGenerator<Buffer, void, undefined> {
  const ends: number[] = [];
  for (const source of sources) ends.push(await tagEnd(source));
  const [first] = sources;
  if (first && ends.some((end) => end > mostTagBytes)) {
    yield* span(first, 0, ends[0]);
  } else {
    const tags = sources.map((source, index) => exactly(source, 0, ends[index] ?? 0));
    yield mergedTag(await Promise.all(tags));
  }
}

export type JoinedBytes = () => AsyncIterable<Buffer>;

/** Joins whole files. @param format that was asked for. @throws CannotJoin before the first byte. */
export async function joinFiles(
  sources: readonly SizedSource[],
  format: string | undefined,
): Promise<JoinedBytes> {
  const kinds = new Set<Joinable>();
  for (const source of sources) kinds.add(await joinableKind(source, format));
  if (kinds.size > 1) throw new CannotJoin('they came in different formats');
  if (kinds.has('wav')) return joinWav(sources);
  return async function* () {
    if (kinds.has('mp3')) yield* mp3Tag(sources);
    const joiner = new Joiner(format);
    for (const source of sources) yield* joiner.add(source, source === sources.at(-1));
  };
}

/** One head, all of the sound, a mark for each piece, and the LIST chunks. @throws CannotJoin */
async function joinWav(sources: readonly SizedSource[]): Promise<JoinedBytes> {
  const files: WavFile[] = [];
  const marks: number[] = [];
  let dataBytes = 0;
  for (const source of sources) {
    const wav = await readWav(source);
    if (!wav) throw new CannotJoin('one of them is no WAV file');
    if (files[0]) assertSame(files[0].format, wav.format);
    files.push(wav);
    marks.push(dataBytes / wav.format.blockBytes);
    dataBytes += wav.dataTo - wav.dataFrom;
  }
  const format = files[0]?.format;
  if (!format) throw new CannotJoin('there are none');
  const tail = Buffer.concat([markChunk(marks), ...files.flatMap(({ lists }) => lists)]);
  if (wavBytes(format, dataBytes, tail.length) > mostWavBytes) {
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

function assertSame(one: WavFormat, other: WavFormat): void {
  const facts = ({ encoding, channels, sampleRate, bitsPerSample }: WavFormat) =>
    `${sampleRate} Hz, ${channels} channels, ${bitsPerSample} bits, kind ${encoding}`;
  if (facts(one) === facts(other)) return;
  throw new CannotJoin(`their sound differs: ${facts(one)}; ${facts(other)}`);
}
