/** MP4 files (ISO/IEC 14496-12): written with the index first, and read box by box. */
import { exactly, type SizedSource } from '../../../lib/audio/source.js';
import { type Size } from './types.js';

type Part = Uint8Array | string | readonly number[];

/** Bytes of 16 bits each. */
export function u16(...values: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(values.length * 2);
  values.forEach((value, index) => bytes.writeUInt16BE(value, index * 2));
  return bytes;
}

/** Bytes of 32 bits each. */
export function u32(...values: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => bytes.writeUInt32BE(value, index * 4));
  return bytes;
}

/** A box of parts: bytes, Latin-1 text, or single bytes. */
export function box(type: string, ...parts: readonly Part[]): Uint8Array {
  const body = Buffer.concat(
    parts.map((part) =>
      typeof part === 'string' ? Buffer.from(part, 'latin1') : Uint8Array.from(part),
    ),
  );
  return Buffer.concat([u32(8 + body.length), Buffer.from(type, 'latin1'), body]);
}

/** A box with a version and flags. */
export function fullBox(type: string, version: number, flags: number, ...parts: readonly Part[]) {
  return box(type, u32(version * 2 ** 24 + flags), ...parts);
}

export interface Sample {
  readonly byteLength: number;
  /** Whether a player can begin here. */
  readonly isKey: boolean;
  /** Made as they are read; a piece may be large. */
  pieces(): Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
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
  readonly size?: Size;
}

/** What players show of a file, and what the service needs to draw the picture again. */
export interface Notes {
  readonly title: string;
  readonly description: string;
  readonly software: string;
  readonly recipe?: string;
}

const movieTimescale = 1000;
/** No turn, no scaling, as 16.16 and 2.30. */
const matrix = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);
const undetermined = 0x55c4;
/** A box of our own, which players pass over. */
const recipeBox = 'svcr';

function bytesIn({ samples }: Track): number {
  return samples.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** The bytes of an MP4 file: the tracks one after the other. */
export async function* encodeMp4(
  tracks: readonly Track[],
  notes: Notes,
): AsyncGenerator<Uint8Array> {
  const duration = Math.max(...tracks.map(movieTicks));
  const head = (dataFrom: number) => {
    const type = box('ftyp', 'isom', u32(0x200), 'isomiso2avc1mp41');
    const times = u32(0, 0, movieTimescale, duration, 0x10000);
    const rest = u32(0, 0, 0, 0, 0, 0, tracks.length + 1);
    const header = fullBox('mvhd', 0, 0, times, u16(0x100, 0), u32(0, 0), matrix, rest);
    let offset = dataFrom;
    const boxes = tracks.map((track, index) => {
      const trak = trackBox(track, index + 1, offset);
      offset += bytesIn(track);
      return trak;
    });
    return Buffer.concat([type, box('moov', header, ...boxes, notesBox(notes))]);
  };
  // The index has the same length wherever it points to.
  yield head(head(0).length + 8);
  const dataBytes = tracks.reduce((sum, track) => sum + bytesIn(track), 0);
  yield Buffer.concat([u32(8 + dataBytes), Buffer.from('mdat')]);
  for (const { samples } of tracks) for (const sample of samples) yield* sample.pieces();
}

function movieTicks({ ticks, timescale }: Track): number {
  return Math.round((ticks * movieTimescale) / timescale);
}

function trackBox(track: Track, id: number, offset: number): Uint8Array {
  const { kind, timescale, ticks, entry, samples, size = { width: 0, height: 0 } } = track;
  const isVideo = kind === 'video';
  const enabledInMovie = 3;
  const header = fullBox(
    'tkhd',
    0,
    enabledInMovie,
    u32(0, 0, id, 0, movieTicks(track), 0, 0),
    u16(0, 0, isVideo ? 0 : 0x100, 0),
    matrix,
    u32(size.width * 65_536, size.height * 65_536),
  );
  const keys = samples.flatMap(({ isKey }, index) => (isKey ? [index + 1] : []));
  const last = ticks - (samples.length - 1) * track.ticksPerSample;
  const table = box(
    'stbl',
    fullBox('stsd', 0, 0, u32(1), entry),
    fullBox('stts', 0, 0, u32(2, samples.length - 1, track.ticksPerSample, 1, last)),
    // Where every sample is a key, none need be named.
    ...(keys.length === samples.length ? [] : [fullBox('stss', 0, 0, u32(keys.length, ...keys))]),
    fullBox('stsc', 0, 0, u32(1, 1, samples.length, 1)),
    fullBox('stsz', 0, 0, u32(0, samples.length, ...samples.map(({ byteLength }) => byteLength))),
    fullBox('stco', 0, 0, u32(1, offset)),
  );
  const kindHeader = isVideo ? fullBox('vmhd', 0, 1, u32(0, 0)) : fullBox('smhd', 0, 0, u32(0));
  const inThisFile = box('dinf', fullBox('dref', 0, 0, u32(1), fullBox('url ', 0, 1)));
  const media = box(
    'mdia',
    fullBox('mdhd', 0, 0, u32(0, 0, timescale, ticks), u16(undetermined, 0)),
    fullBox('hdlr', 0, 0, u32(0), isVideo ? 'vide' : 'soun', u32(0, 0, 0), `${kind}\0`),
    box('minf', kindHeader, inThisFile, table),
  );
  return box('trak', header, media);
}

/** An iTunes metadata list. */
export function notesBox({ title, description, software, recipe }: Notes): Uint8Array {
  const handler = fullBox('hdlr', 0, 0, u32(0), 'mdirappl', u32(0, 0), [0]);
  const utf8 = (text: string) => box('data', u32(1, 0), Buffer.from(text, 'utf8'));
  const items = [
    box('\xa9nam', utf8(title)),
    box('\xa9too', utf8(software)),
    box('desc', utf8(description)),
  ];
  const own = recipe === undefined ? [] : [box(recipeBox, Buffer.from(recipe, 'utf8'))];
  return box('udta', fullBox('meta', 0, 0, handler, box('ilst', ...items)), ...own);
}

/** H.264, each NAL unit after its length in four bytes. */
export function h264Entry(
  { width, height }: Size,
  { sequence, picture }: { readonly sequence: Uint8Array; readonly picture: Uint8Array },
): Uint8Array {
  /** Square pixels at 72 dots an inch, as 16.16. */
  const dots = 72 * 65_536;
  const sets = [[1], u16(sequence.length), sequence, [1], u16(picture.length), picture] as const;
  const settings = box('avcC', sets[0], sequence.subarray(1, 4), [0xff, 0xe1], ...sets.slice(1));
  const head = [u16(0, 0, 0, 1), u32(0, 0, 0, 0), u16(width, height), u32(dots, dots, 0), u16(1)];
  return box('avc1', ...head, Buffer.alloc(32), u16(0x18, 0xffff), settings);
}

interface AudioFormat {
  readonly channels: number;
  readonly sampleRate: number;
}

/** FLAC in its own frames; `streamInfo` is the first metadata block without its header. */
export function flacEntry(audio: AudioFormat, streamInfo: Uint8Array): Uint8Array {
  const isLast = 0x80;
  const header = [isLast, 0, 0, streamInfo.length];
  return audioEntry('fLaC', audio, fullBox('dfLa', 0, 0, header, streamInfo));
}

/** MPEG audio of layer III. */
export function mp3Entry(audio: AudioFormat): Uint8Array {
  const [mpeg1Audio, audioStream] = [0x6b, 0x15];
  const descriptor = (tag: number, body: readonly number[]) => [tag, body.length, ...body];
  const decoder = descriptor(4, [mpeg1Audio, audioStream, ...Buffer.alloc(11)]);
  const stream = descriptor(3, [0, 1, 0, ...decoder, ...descriptor(6, [2])]);
  return audioEntry('mp4a', audio, fullBox('esds', 0, 0, stream));
}

function audioEntry(type: string, audio: AudioFormat, settings: Uint8Array): Uint8Array {
  const { channels, sampleRate } = audio;
  const rate = sampleRate < 65_536 ? sampleRate * 65_536 : 0;
  return box(type, u16(0, 0, 0, 1), u32(0, 0), u16(channels, 16, 0, 0), u32(rate), settings);
}

export interface FoundBox {
  readonly type: string;
  /** Where its content begins and ends. */
  readonly from: number;
  readonly to: number;
}

/** More boxes in one box than any honest file has. */
const mostBoxes = 100_000;
const mostRecipeBytes = 256 * 1024;

/** The boxes between two places. A damaged one ends the list. */
export async function boxesIn(
  source: SizedSource,
  { from, to }: Omit<FoundBox, 'type'>,
): Promise<readonly FoundBox[]> {
  const found: FoundBox[] = [];
  for (let at = from; at + 8 <= to && found.length < mostBoxes;) {
    const head = await exactly(source, at, 16);
    if (head.length < 8) break;
    const short = head.readUInt32BE(0);
    const isLong = short === 1 && head.length === 16;
    const headBytes = isLong ? 16 : 8;
    const toEnd = short === 0 ? to - at : short;
    const length = isLong ? Number(head.readBigUInt64BE(8)) : toEnd;
    if (length < headBytes) break;
    const end = Math.min(to, at + length);
    found.push({ type: head.toString('latin1', 4, 8), from: at + headBytes, to: end });
    at = end;
  }
  return found;
}

/** The first box at the end of a path of types, below another or in the file. */
export async function findBox(
  source: SizedSource,
  path: readonly string[],
  within: FoundBox = { type: '', from: 0, to: source.length },
): Promise<FoundBox | undefined> {
  let here: FoundBox | undefined = within;
  for (const type of path) {
    if (!here) return undefined;
    // meta is a box with a version, unlike the others that hold boxes.
    const from: number = here.type === 'meta' ? here.from + 4 : here.from;
    const inside = await boxesIn(source, { from, to: here.to });
    here = inside.find((one) => one.type === type);
  }
  return here;
}

/** The content of a box at the end of a path; empty when there is none. */
export async function contentAt(
  source: SizedSource,
  path: readonly string[],
  within?: FoundBox,
  mostBytes = 1024,
): Promise<Buffer> {
  const found = await findBox(source, path, within);
  if (!found) return Buffer.alloc(0);
  return exactly(source, found.from, Math.min(mostBytes, found.to - found.from));
}

/** The text of the recipe that a film of this service carries; empty for any other file. */
export async function readRecipe(source: SizedSource): Promise<string> {
  const path = ['moov', 'udta', recipeBox];
  return (await contentAt(source, path, undefined, mostRecipeBytes)).toString('utf8');
}
