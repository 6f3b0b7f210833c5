/** Joins sound that was made in pieces into one file, where its format allows that. */
import { fileKindOf } from '../file-kind.js';
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

export type Joinable = 'aac' | 'mp3' | 'ogg' | 'pcm' | 'wav';

const byMediaType: Readonly<Record<string, Joinable>> = {
  'audio/aac': 'aac',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/opus': 'ogg',
  'audio/wav': 'wav',
};

/**
 * How the pieces of a file are joined, by its first bytes; undefined where one after the other
 * makes no valid file, as with FLAC, whose frames are numbered through.
 * @param isRaw it was asked for without any head.
 */
export function joinableKind(head: Uint8Array, isRaw: boolean): Joinable | undefined {
  const mediaType = fileKindOf(head)?.mediaType;
  // Bare samples may look like the frames of something else by chance.
  if (isRaw && mediaType !== 'audio/wav') return 'pcm';
  return byMediaType[mediaType ?? ''];
}

/** Why pieces cannot be one file, as the end of a sentence. */
export class CannotJoin extends Error {
  override readonly name = 'CannotJoin';
}

/** Joins pieces that arrive one after the other: nothing that was given out changes later. */
export class Joiner {
  readonly #kind: Joinable;
  readonly #chain = new OggChain();
  #format: WavFormat | undefined;
  #isFirst = true;

  constructor(kind: Joinable) {
    this.#kind = kind;
  }

  /** The bytes that the next piece adds. @throws CannotJoin */
  async *add(
    source: ByteSource,
    { isLast }: { isLast: boolean },
  ): AsyncGenerator<Buffer, void, undefined> {
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    switch (this.#kind) {
      case 'pcm':
        yield* span(source, 0);
        break;
      case 'aac':
        yield* span(source, isFirst ? 0 : await tagEnd(source));
        break;
      case 'mp3':
        yield* mp3Frames(source, { afterTags: await tagEnd(source), isLast });
        break;
      case 'ogg':
        yield* this.#chain.link(source);
        break;
      case 'wav':
        yield* this.#wav(source);
    }
  }

  /**
   * One head before the first piece. Its lengths are the largest number, as all who write WAV to a
   * pipe do it: the sound that is still to come cannot be measured, and a pipe cannot be gone back
   * in. For the same reason the notes after each sound are left out: they would be played.
   */
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

/** The tag at the very end of MP3 files. */
const endTagBytes = 128;

/**
 * The frames alone: tags in the middle of a file are errors to some decoders, and that of the first
 * piece tells of the first piece. What is joined on a disk gets one tag for all.
 */
async function* mp3Frames(
  source: ByteSource,
  { afterTags, isLast }: { afterTags: number; isLast: boolean },
): AsyncGenerator<Buffer, void, undefined> {
  let held: Buffer = Buffer.alloc(0);
  for await (const piece of span(source, await soundFrom(source, afterTags))) {
    const all = held.length === 0 ? piece : Buffer.concat([held, piece]);
    const sure = Math.max(0, all.length - endTagBytes);
    if (sure > 0) yield all.subarray(0, sure);
    held = all.subarray(sure);
  }
  if (isLast || held.toString('latin1', 0, 3) !== 'TAG') yield held;
}

/** A tag larger than this holds pictures, and stays as it is. */
const mostTagBytes = 4 * 1024 * 1024;

async function* joinMp3(sources: readonly SizedSource[]): AsyncGenerator<Buffer, void, undefined> {
  const ends: number[] = [];
  for (const source of sources) ends.push(await tagEnd(source));
  const tags = await Promise.all(
    sources.map((source, index) => exactly(source, 0, Math.min(ends[index] ?? 0, mostTagBytes))),
  );
  const isWhole = tags.every((tag, index) => tag.length === ends[index]);
  const [first] = sources;
  if (isWhole) yield mergedTag(tags);
  else if (first) yield* span(first, 0, ends[0]);
  for (const [index, source] of sources.entries()) {
    const afterTags = ends[index] ?? 0;
    yield* mp3Frames(source, { afterTags, isLast: index === sources.length - 1 });
  }
}

/** The bytes of one file, of pieces that are all there. */
export type JoinedBytes = () => AsyncIterable<Buffer>;

/** Joins whole files. @throws CannotJoin before the first byte. */
export async function joinFiles(
  kind: Joinable,
  sources: readonly SizedSource[],
): Promise<JoinedBytes> {
  if (kind === 'wav') return joinWav(sources);
  if (kind === 'mp3') return () => joinMp3(sources);
  return async function* () {
    const joiner = new Joiner(kind);
    for (const [index, source] of sources.entries()) {
      yield* joiner.add(source, { isLast: index === sources.length - 1 });
    }
  };
}

/**
 * Joins whole WAV files: one head with the right lengths, all of the sound, a mark where each piece
 * begins, and the LIST chunks of every piece in their order.
 * @throws CannotJoin
 */
async function joinWav(sources: readonly SizedSource[]): Promise<JoinedBytes> {
  const files: { source: SizedSource; wav: WavFile }[] = [];
  for (const source of sources) {
    const wav = await readWav(source);
    if (!wav) throw new CannotJoin('one of them is no WAV file');
    if (files[0]) assertSame(files[0].wav.format, wav.format);
    files.push({ source, wav });
  }
  const format = files[0]?.wav.format;
  if (!format) throw new CannotJoin('there are none');
  const marks: number[] = [];
  let dataBytes = 0;
  for (const { wav } of files) {
    marks.push(dataBytes / format.blockBytes);
    dataBytes += wav.dataTo - wav.dataFrom;
  }
  const tail = Buffer.concat([markChunk(marks), ...files.flatMap(({ wav }) => wav.lists)]);
  if (wavBytes(format, dataBytes, tail.length) > mostWavBytes) {
    throw new CannotJoin('together they are too large for a WAV file');
  }
  return async function* () {
    yield wavHead(format, dataBytes, tail.length);
    for (const { source, wav } of files) yield* span(source, wav.dataFrom, wav.dataTo);
    if (dataBytes % 2 === 1) yield Buffer.alloc(1);
    yield tail;
  };
}

function assertSame(one: WavFormat, other: WavFormat): void {
  const facts = ({ encoding, channels, sampleRate, bitsPerSample }: WavFormat) =>
    `${String(sampleRate)} Hz, ${String(channels)} channels, ${String(bitsPerSample)} bits, kind ${String(encoding)}`;
  if (facts(one) === facts(other)) return;
  throw new CannotJoin(`their sound differs: ${facts(one)}; ${facts(other)}`);
}
