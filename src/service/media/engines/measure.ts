/** Says what a file is and how long or large, by its own bytes: its name proves nothing. */
import { exactly, type SizedSource } from '../../../lib/audio/source.js';
import { wavSeconds } from '../../../lib/audio/wav.js';
import { measure as measureImage } from '../../engines/prompts.js';
import type { Measured, Size } from './define.js';
import { recipeOf } from './film.js';
import { boxesIn, readMovie } from './movie.js';
import { mp3Pieces } from './recording.js';

/** Enough to pass the color profiles that stand before a JPEG's size. */
const imageHeadBytes = 1024 * 1024;

/** Reads the heads of a file, of MP3 every frame's; undefined for an unknown or damaged file. */
export async function measure(source: SizedSource): Promise<Measured | undefined> {
  const head = await exactly(source, 0, 32);
  // Only a JPEG says how large it is further on.
  const isJpeg = head[0] === 0xff && head[1] === 0xd8;
  const image = measureImage(isJpeg ? await exactly(source, 0, imageHeadBytes) : head);
  if (image && image.width > 0 && image.height > 0) {
    const { width, height } = image;
    const name = image.kind.toLowerCase();
    const ext = name === 'jpeg' ? 'jpg' : name;
    return { kind: 'image', mediaType: `image/${name}`, ext, width, height };
  }
  const start = head.toString('latin1', 0, 16);
  if (/^(RIFF|RF64)/.test(start)) {
    return audio('audio/wav', 'wav', (await wavSeconds(source)) ?? 0);
  }
  if (start.startsWith('fLaC') && head.length >= 26) {
    // Its first block has 20 bits of rate, and further on 36 of the number of samples.
    const samples = head.readUIntBE(21, 5) % 2 ** 36;
    return audio('audio/flac', 'flac', samples / (head.readUIntBE(18, 3) >> 4));
  }
  if (/^[^]{4}(ftyp|moov|mdat|wide|free|skip)/.test(start)) {
    return measureMovie(source);
  }
  const isMp3 = start.startsWith('ID3') || head[0] === 0xff;
  if (!isMp3) return undefined;
  let [samples, rate] = [0, 1];
  for await (const piece of mp3Pieces(source)) {
    samples += piece.samples;
    rate = piece.sampleRate;
  }
  return audio('audio/mpeg', 'mp3', samples / rate);
}

function audio(mediaType: string, ext: string, seconds: number): Measured | undefined {
  return seconds > 0 && seconds < Infinity ? { kind: 'audio', mediaType, ext, seconds } : undefined;
}

/** What an ISO base media file holds; undefined when it has no track that can be measured. */
async function measureMovie(source: SizedSource): Promise<Measured | undefined> {
  let seconds = 0;
  let hasSound = false;
  let [size, shown]: (Size | undefined)[] = [];
  for (const { type, content } of boxesIn(await readMovie(source))) {
    // The head of a track stands before what it is of.
    const handler = type === 'hdlr' ? content.toString('latin1', 8, 12) : '';
    if (type === 'mvhd') seconds = movieSeconds(content);
    if (type === 'tkhd') size = shownSize(content);
    if (handler === 'vide') shown ??= size;
    if (handler === 'soun') hasSound = true;
  }
  if (!shown || seconds === 0) return hasSound ? audio('audio/mp4', 'm4a', seconds) : undefined;
  const hasRecipe = (await recipeOf(source)) !== undefined;
  return { kind: 'video', mediaType: 'video/mp4', ext: 'mp4', seconds, ...shown, hasRecipe };
}

function movieSeconds(head: Buffer): number {
  if (head.length < 32) return 0;
  const isLong = head[0] === 1;
  const timescale = head.readUInt32BE(isLong ? 20 : 12);
  const ticks = isLong ? Number(head.readBigUInt64BE(24)) : head.readUInt32BE(16);
  return timescale > 0 && ticks !== 0xffffffff ? ticks / timescale : 0;
}

/** The size at which a track is shown; on its side when its matrix turns it. */
function shownSize(head: Buffer): Size | undefined {
  const at = head[0] === 1 ? 52 : 40;
  if (head.length < at + 44) return undefined;
  const isTurned = head.readInt32BE(at) === 0 && head.readInt32BE(at + 4) !== 0;
  const side = (offset: number) => Math.round(head.readUInt32BE(at + offset) / 65_536);
  const [width, height] = isTurned ? [side(40), side(36)] : [side(36), side(40)];
  return width > 0 && height > 0 ? { width, height } : undefined;
}
