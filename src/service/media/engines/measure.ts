/** Determines a file's type and its length or size from its bytes, regardless of its name. */
import { mp3Pieces } from '../../../lib/audio/mp3.js';
import { exactly, type SizedSource } from '../../../lib/audio/source.js';
import { wavSeconds } from '../../../lib/audio/wav.js';
import { imageSize } from '../../../lib/image-size.js';
import type { FileFacts, Size } from './model.js';
import { recipeOf } from './film.js';
import { boxesIn } from './movie.js';

/** Enough to skip the color profiles before a JPEG's size. */
const imageHeadBytes = 1024 * 1024;

/** Reads a file's headers, in MP3 those of all frames; undefined for an unknown or damaged file. */
export async function measure(source: SizedSource): Promise<FileFacts | undefined> {
  const head = await exactly(source, 0, 32);
  // Only a JPEG has its size further on.
  const isJpeg = head[0] === 0xff && head[1] === 0xd8;
  const image = imageSize(isJpeg ? await exactly(source, 0, imageHeadBytes) : head);
  if (image && image.width > 0 && image.height > 0) {
    const { width, height } = image;
    const name = image.kind.toLowerCase();
    const ext = name === 'jpeg' ? 'jpg' : name;
    return { kind: 'image', mediaType: `image/${name}`, ext, width, height };
  }
  const start = head.toString('latin1', 0, 16);
  if (/^(RIFF|RF64|BW64)/.test(start)) {
    return audio('audio/wav', 'wav', (await wavSeconds(source)) ?? 0);
  }
  if (start.startsWith('fLaC') && head.length >= 26) {
    // Its first block has 20 bits of rate, and further on 36 of the number of samples.
    const samples = head.readUIntBE(21, 5) % 2 ** 36;
    return audio('audio/flac', 'flac', samples / (head.readUIntBE(18, 3) >> 4));
  }
  if (/^[^]{4}(ftyp|moov|mdat|wide|free|skip)/.test(start)) return measureMovie(source);
  if (!start.startsWith('ID3') && head[0] !== 0xff) return undefined;
  let [frames, samples, rate] = [0, 0, 1];
  for await (const { frame } of mp3Pieces(source)) {
    if (!frame) continue;
    frames += 1;
    samples += frame.samples;
    rate = frame.sampleRate;
  }
  // Noise may look like a frame, but not like two.
  return frames > 1 ? audio('audio/mpeg', 'mp3', samples / rate) : undefined;
}

function audio(mediaType: string, ext: string, seconds: number): FileFacts | undefined {
  return seconds > 0 && seconds < Infinity ? { kind: 'audio', mediaType, ext, seconds } : undefined;
}

/** A film of this service or an equally simple one; without a visible track it is audio. */
async function measureMovie(source: SizedSource): Promise<FileFacts | undefined> {
  let seconds = 0;
  let size: Size | undefined;
  for (const { type, content } of await boxesIn(source)) {
    const isPlain = content.length >= 84 && content[0] === 0;
    if (isPlain && type === 'mvhd') seconds = content.readUInt32BE(16) / content.readUInt32BE(12);
    // As 16.16, which a track of sound has as zeros.
    const [width, height] = isPlain ? [content.readUInt16BE(76), content.readUInt16BE(80)] : [0, 0];
    if (type === 'tkhd' && width * height > 0) size ??= { width, height };
  }
  const sound = audio('audio/mp4', 'm4a', seconds);
  if (!sound || !size) return sound;
  const hasRecipe = (await recipeOf(source)) !== undefined;
  return { kind: 'video', mediaType: 'video/mp4', ext: 'mp4', seconds, ...size, hasRecipe };
}
