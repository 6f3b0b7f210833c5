/** Writes MP4 files: the index first, so that they play while they arrive. */
import { box, fullBox, u16, u32 } from './boxes.js';
import { notesBox, type Notes } from './notes.js';

export interface Sample {
  readonly byteLength: number;
  /** Whether a player can begin here. */
  readonly isKey: boolean;
  bytes(): Uint8Array | Promise<Uint8Array>;
}

export interface Track {
  readonly kind: 'video' | 'audio';
  /** Ticks a second. */
  readonly timescale: number;
  readonly ticksPerSample: number;
  /** The length of the track; the last sample may be shorter than the others. */
  readonly ticks: number;
  /** How the samples are coded, as a box. */
  readonly entry: Uint8Array;
  readonly samples: readonly Sample[];
  /** Pixels; none for sound. */
  readonly size?: { readonly width: number; readonly height: number };
}

const movieTimescale = 1000;
/** No turn, no scaling, as 16.16 and 2.30. */
const matrix = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);
const undetermined = 0x55c4;
const typeBox = box('ftyp', 'isom', u32(0x200), 'isomiso2avc1mp41');

/** Samples that lie next to each other in the file: a second of one track. */
interface Chunk {
  readonly track: number;
  readonly samples: readonly Sample[];
}

/** The bytes of an MP4 file. */
export async function* encodeMp4(
  tracks: readonly Track[],
  notes: Notes,
): AsyncGenerator<Uint8Array> {
  const chunks = interleave(tracks);
  // The index has the same length wherever it points to.
  const offset = typeBox.length + movie(tracks, chunks, notes, 0).length + 8;
  yield typeBox;
  yield movie(tracks, chunks, notes, offset);
  const sizes = chunks.flatMap(({ samples }) => samples.map(({ byteLength }) => byteLength));
  yield Buffer.concat([u32(8 + sizes.reduce((sum, size) => sum + size, 0)), Buffer.from('mdat')]);
  for (const { samples } of chunks) {
    for (const sample of samples) yield await sample.bytes();
  }
}

/** The tracks in turns of a second. */
function interleave(tracks: readonly Track[]): readonly Chunk[] {
  const seconds = Math.max(...tracks.map(({ ticks, timescale }) => Math.ceil(ticks / timescale)));
  return Array.from({ length: Math.max(1, seconds) }, (_, second) =>
    tracks.map((track, index) => ({ track: index, samples: samplesIn(track, second) })),
  )
    .flat()
    .filter(({ samples }) => samples.length > 0);
}

function samplesIn({ samples, timescale, ticksPerSample }: Track, second: number) {
  const at = (seconds: number) => Math.ceil((seconds * timescale) / ticksPerSample);
  return samples.slice(at(second), at(second + 1));
}

function movie(
  tracks: readonly Track[],
  chunks: readonly Chunk[],
  notes: Notes,
  dataOffset: number,
): Uint8Array {
  const duration = Math.max(...tracks.map(movieTicks));
  const header = fullBox(
    'mvhd',
    0,
    0,
    u32(0, 0, movieTimescale, duration, 0x10000),
    u16(0x100, 0),
    u32(0, 0),
    matrix,
    u32(0, 0, 0, 0, 0, 0, tracks.length + 1),
  );
  const offsets = offsetsOf(chunks, dataOffset);
  const boxes = tracks.map((track, index) => {
    const own = chunks.flatMap((chunk, at) =>
      chunk.track === index ? [{ count: chunk.samples.length, offset: offsets[at] ?? 0 }] : [],
    );
    return trackBox(track, index + 1, own);
  });
  return box('moov', header, ...boxes, notesBox(notes));
}

function movieTicks({ ticks, timescale }: Track): number {
  return Math.round((ticks * movieTimescale) / timescale);
}

function offsetsOf(chunks: readonly Chunk[], from: number): readonly number[] {
  let at = from;
  return chunks.map(({ samples }) => {
    const start = at;
    for (const { byteLength } of samples) at += byteLength;
    return start;
  });
}

type Chunks = readonly { readonly count: number; readonly offset: number }[];

function trackBox(track: Track, id: number, chunks: Chunks): Uint8Array {
  const { kind, size = { width: 0, height: 0 } } = track;
  const enabledInMovie = 3;
  const header = fullBox(
    'tkhd',
    0,
    enabledInMovie,
    u32(0, 0, id, 0, movieTicks(track), 0, 0),
    u16(0, 0, kind === 'audio' ? 0x100 : 0, 0),
    matrix,
    u32(size.width * 65_536, size.height * 65_536),
  );
  return box('trak', header, mediaBox(track, chunks));
}

function mediaBox(track: Track, chunks: Chunks): Uint8Array {
  const { kind, timescale, ticks } = track;
  const handler = kind === 'video' ? 'vide' : 'soun';
  const own =
    kind === 'video' ? fullBox('vmhd', 0, 1, u16(0, 0, 0, 0)) : fullBox('smhd', 0, 0, u16(0, 0));
  const inThisFile = fullBox('url ', 0, 1);
  return box(
    'mdia',
    fullBox('mdhd', 0, 0, u32(0, 0, timescale, ticks), u16(undetermined, 0)),
    fullBox('hdlr', 0, 0, u32(0), handler, u32(0, 0, 0), `${kind}\0`),
    box(
      'minf',
      own,
      box('dinf', fullBox('dref', 0, 0, u32(1), inThisFile)),
      sampleTable(track, chunks),
    ),
  );
}

function sampleTable(track: Track, chunks: Chunks): Uint8Array {
  const { entry, samples } = track;
  const keys = samples.flatMap(({ isKey }, index) => (isKey ? [index + 1] : []));
  return box(
    'stbl',
    fullBox('stsd', 0, 0, u32(1), entry),
    timesBox(track),
    // Where every sample is a key, none need be named.
    ...(keys.length === samples.length ? [] : [fullBox('stss', 0, 0, u32(keys.length, ...keys))]),
    chunksBox(chunks),
    fullBox('stsz', 0, 0, u32(0, samples.length, ...samples.map(({ byteLength }) => byteLength))),
    fullBox('stco', 0, 0, u32(chunks.length, ...chunks.map(({ offset }) => offset))),
  );
}

function timesBox({ samples, ticks, ticksPerSample }: Track): Uint8Array {
  const whole = samples.length - 1;
  const last = ticks - whole * ticksPerSample;
  return last === ticksPerSample || whole === 0
    ? fullBox('stts', 0, 0, u32(1, samples.length, last))
    : fullBox('stts', 0, 0, u32(2, whole, ticksPerSample, 1, last));
}

/** How many samples the chunks have, told where it changes. */
function chunksBox(chunks: Chunks): Uint8Array {
  const changes = chunks.flatMap(({ count }, index) =>
    count === chunks[index - 1]?.count ? [] : [[index + 1, count, 1]],
  );
  return fullBox('stsc', 0, 0, u32(changes.length, ...changes.flat()));
}
