/** Measures MP4, M4A and MOV files. */
import { boxesIn, contentOf, findBox, type FoundBox } from '../mp4/read.js';
import { recipeOf } from '../reel/recipe.js';
import type { ByteSource } from '../types.js';
import type { MeasuredAudio, MeasuredVideo } from './types.js';

/** What an ISO base media file holds; undefined when it has no track that can be measured. */
export async function measureMp4(
  source: ByteSource,
): Promise<MeasuredAudio | MeasuredVideo | undefined> {
  const movie = await findBox(source, ['moov']);
  if (!movie) return undefined;
  const tracks = (await boxesIn(source, movie.from, movie.to)).filter(
    ({ type }) => type === 'trak',
  );
  const seconds = (await movieSeconds(source, movie)) ?? 0;
  let hasSound = false;
  for (const track of tracks) {
    const handler = await handlerOf(source, track);
    hasSound ||= handler === 'soun';
    const size = handler === 'vide' ? await sizeOf(source, track) : undefined;
    if (size && seconds > 0) {
      const hasRecipe = (await recipeOf(source)) !== undefined;
      return { kind: 'video', mediaType: 'video/mp4', ext: 'mp4', seconds, ...size, hasRecipe };
    }
  }
  if (!hasSound || seconds === 0) return undefined;
  return { kind: 'audio', mediaType: 'audio/mp4', ext: 'm4a', seconds };
}

/** Whole movies tell their length at their head, those in fragments sometimes beside it. */
async function movieSeconds(source: ByteSource, movie: FoundBox): Promise<number | undefined> {
  const header = await findBox(source, ['mvhd'], movie);
  const head = header && (await contentOf(source, header));
  if (!head || head.length < 32) return undefined;
  const isLong = head[0] === 1;
  const timescale = head.readUInt32BE(isLong ? 20 : 12);
  if (timescale === 0) return undefined;
  const ticks = isLong ? Number(head.readBigUInt64BE(24)) : head.readUInt32BE(16);
  const isTold = ticks > 0 && ticks !== 0xffffffff;
  const found = isTold ? ticks : await fragmentTicks(source, movie);
  return found === undefined ? undefined : found / timescale;
}

async function fragmentTicks(source: ByteSource, movie: FoundBox): Promise<number | undefined> {
  const extended = await findBox(source, ['mvex', 'mehd'], movie);
  const head = extended && (await contentOf(source, extended));
  if (!head || head.length < 8) return undefined;
  return head[0] === 1 && head.length >= 12
    ? Number(head.readBigUInt64BE(4))
    : head.readUInt32BE(4);
}

async function handlerOf(source: ByteSource, track: FoundBox): Promise<string | undefined> {
  const handler = await findBox(source, ['mdia', 'hdlr'], track);
  return handler && (await contentOf(source, handler)).toString('latin1', 8, 12);
}

/** The size at which a track is shown; on its side when its matrix turns it. */
async function sizeOf(source: ByteSource, track: FoundBox) {
  const header = await findBox(source, ['tkhd'], track);
  const head = header && (await contentOf(source, header));
  if (!head || head.length < 84) return undefined;
  const at = head[0] === 1 ? 52 : 40;
  if (head.length < at + 44) return undefined;
  const isTurned = head.readInt32BE(at) === 0 && head.readInt32BE(at + 4) !== 0;
  const [width, height] = [head.readUInt32BE(at + 36), head.readUInt32BE(at + 40)];
  const [shown, tall] = [Math.round(width / 65_536), Math.round(height / 65_536)];
  if (shown === 0 || tall === 0) return undefined;
  return isTurned ? { width: tall, height: shown } : { width: shown, height: tall };
}
