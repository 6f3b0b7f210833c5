/** Makes the films of local/lipsync. */
import type { Ordered } from '../define.js';
import { encodeMp4 } from '../mp4/write.js';
import { videoTrack, type Shot } from '../reel/film.js';
import { frameSize } from '../reel/make.js';
import { framesPerSecond } from '../reel/recipe.js';
import { MediaRefusal } from '../refusal.js';
import { stack } from '../scene/scene.js';
import type { MakeInput, MediaResult, Sources } from '../types.js';
import { backdropOf } from './backdrop.js';
import { faceLayers } from './face.js';
import { demandRecording, demandShape, type LipsyncOpts } from './lipsync.js';
import { openRecording } from './recording.js';

export async function perform(
  { prompt, opts }: Ordered<LipsyncOpts>,
  { sources, seed }: MakeInput,
): Promise<MediaResult> {
  const { audio, picture, shape } = demandAll(sources);
  const size = frameSize(opts.resolution, shape.width, shape.height);
  const recording = await openRecording(audio.bytes, seed);
  const openings = await recording.openings(framesPerSecond);
  const backdrop = await backdropOf(picture, size);
  const openAt = (seconds: number) => openings[Math.round(seconds * framesPerSecond)] ?? 0;
  const layers = [...backdrop.layers, ...faceLayers(size.width, size.height, seed, openAt)];
  const notes = { title: 'Lipsync', description: prompt, software: 'svc local/lipsync' };
  const file = {
    mediaType: 'video/mp4',
    ext: 'mp4',
    bytes: async function* (signal?: AbortSignal) {
      const shot: Shot = {
        scene: stack(layers, size),
        fromSeconds: 0,
        frames: Math.max(1, openings.length),
      };
      const video = await videoTrack([shot], size, signal);
      yield* encodeMp4([video, recording.track], notes);
    },
  };
  return {
    files: [file],
    resultMeta: {
      ...size,
      seconds: recording.seconds,
      framesPerSecond,
      mouth: recording.isHeard ? 'follows the loudness' : 'guessed: MP3 is not decoded here',
      backdrop: backdrop.isSource ? 'the picture given' : 'a landscape: only PNG is read here',
    },
  };
}

function demandAll({ audio, image, video }: Sources) {
  const picture = image ?? video;
  if (audio?.measured.kind !== 'audio' || !picture || picture.measured.kind === 'audio') {
    throw new MediaRefusal('source_missing', 'local/lipsync needs a recording and a picture');
  }
  demandRecording(audio.measured);
  demandShape(picture.measured);
  return { audio, picture, shape: picture.measured };
}
