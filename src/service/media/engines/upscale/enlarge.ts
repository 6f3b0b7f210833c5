/** Makes the files of local/upscale. */
import type { Ordered } from '../define.js';
import { decodePng, type DecodedPicture } from '../png/decode.js';
import { encodePng } from '../png/encode.js';
import { resultOf } from '../reel/make.js';
import { recipeOf } from '../reel/recipe.js';
import { MediaRefusal } from '../refusal.js';
import type { MakeInput, MediaResult, Source } from '../types.js';
import { demandPicture, demandVideo, type UpscaleOpts } from './upscale.js';

const software = 'svc local/upscale';

export async function enlarge(
  { opts }: Ordered<UpscaleOpts>,
  { sources }: MakeInput,
): Promise<MediaResult> {
  const { image, video } = sources;
  if (image) return enlargePicture(image, opts.factor);
  if (video) return redrawVideo(video, opts.factor);
  throw new MediaRefusal('source_missing', 'local/upscale needs a picture or a video');
}

async function enlargePicture({ bytes, measured }: Source, factor: number): Promise<MediaResult> {
  if (measured.kind === 'image') demandPicture(measured, factor);
  const picture = await decodePng(bytes);
  // A damaged picture fails the job, and not the download of half a result.
  for await (const row of picture.rows()) if (row.length === 0) break;
  const { channels } = picture;
  const size = { width: picture.width * factor, height: picture.height * factor };
  const rows = () => enlargedRows(picture, factor);
  const file = {
    mediaType: 'image/png',
    ext: 'png',
    bytes: () => encodePng({ ...size, channels, rows }, { Software: software }),
  };
  return { files: [file], resultMeta: { ...size, factor, method: 'interpolated' } };
}

async function redrawVideo({ bytes, measured }: Source, factor: number): Promise<MediaResult> {
  if (measured.kind === 'video') demandVideo(measured, factor);
  const recipe = await recipeOf(bytes);
  if (!recipe) throw new MediaRefusal('source_unsupported', 'the video has no recipe');
  const larger = { ...recipe, width: recipe.width * factor, height: recipe.height * factor };
  return resultOf(larger, software, { factor, method: 'redrawn' });
}

/** Every pixel between four others is a mean of them, by how near they are. */
async function* enlargedRows(picture: DecodedPicture, factor: number): AsyncGenerator<Uint8Array> {
  const { width, height, channels } = picture;
  const mixed = new Uint8Array(width * factor * channels);
  let above: Float32Array | undefined;
  let y = 0;
  for await (const row of picture.rows()) {
    const below = widened(row, width, channels, factor);
    // The rows of the result that lie between the middles of the last two.
    const last = y === 0 ? factor / 2 : y * factor + factor / 2;
    const first = y === 0 ? 0 : last - factor;
    for (let at = first; at < last; at++) {
      const part = y === 0 ? 1 : (at - first + 0.5) / factor;
      yield blendRows(above ?? below, below, part, mixed);
    }
    above = below;
    y++;
  }
  if (!above || y < height) return;
  for (let at = 0; at < factor / 2; at++) yield blendRows(above, above, 1, mixed);
}

function blendRows(
  above: Float32Array,
  below: Float32Array,
  part: number,
  mixed: Uint8Array,
): Uint8Array {
  for (let at = 0; at < mixed.length; at++) {
    const from = above[at] ?? 0;
    mixed[at] = from + ((below[at] ?? 0) - from) * part + 0.5;
  }
  return mixed;
}

/** A row as wide as the result. */
function widened(row: Uint8Array, width: number, channels: number, factor: number): Float32Array {
  const wide = new Float32Array(width * factor * channels);
  for (let x = 0; x < width * factor; x++) {
    const place = Math.max(0, (x + 0.5) / factor - 0.5);
    const left = Math.floor(place);
    const right = Math.min(width - 1, left + 1);
    for (let channel = 0; channel < channels; channel++) {
      const from = row[left * channels + channel] ?? 0;
      const to = row[right * channels + channel] ?? 0;
      wide[x * channels + channel] = from + (to - from) * (place - left);
    }
  }
  return wide;
}
