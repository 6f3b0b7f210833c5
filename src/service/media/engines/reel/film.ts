/** Films a recipe: draws every frame, codes it, and writes the file. */
import { Encoder, type Paint } from '../h264/encoder.js';
import { h264Entry } from '../mp4/entries.js';
import type { Notes } from '../mp4/notes.js';
import { encodeMp4, type Sample, type Track } from '../mp4/write.js';
import { markLayer } from '../scene/mark.js';
import { landscape, stack, type Scene } from '../scene/scene.js';
import type { MediaFile } from '../types.js';
import { framesOf, framesPerSecond, type Recipe } from './recipe.js';

const ticksPerFrame = 512;
/** A player can begin anew after so many frames. */
const framesBetweenKeys = 5 * framesPerSecond;

/** A stretch of one scene. */
export interface Shot {
  readonly scene: Scene;
  /** The moment of the scene at which it begins. */
  readonly fromSeconds: number;
  readonly frames: number;
}

/** The film of a recipe. */
export function filmFile(recipe: Recipe, software: string): MediaFile {
  const [first] = recipe.parts;
  const prompt = first?.prompt ?? '';
  const notes: Notes = {
    title: Array.from(prompt).slice(0, 80).join(''),
    description: prompt,
    software,
    recipe: JSON.stringify(recipe),
  };
  return {
    mediaType: 'video/mp4',
    ext: 'mp4',
    bytes: async function* (signal) {
      const video = await videoTrack(shotsOf(recipe), recipe, signal);
      yield* encodeMp4([video], notes);
    },
  };
}

function* shotsOf({ width, height, parts, watermark }: Recipe): Generator<Shot> {
  for (const part of parts) {
    const order = { prompt: part.prompt, seed: `${part.seed}:0`, width, height };
    const mark = watermark === undefined ? [] : [markLayer(watermark, width, height)];
    const scene = stack([...landscape(order), ...mark], order);
    yield { scene, fromSeconds: part.from, frames: framesOf(part) };
  }
}

/** Draws and codes shots one after the other. What it holds is the coded film. */
export async function videoTrack(
  shots: Iterable<Shot>,
  size: { readonly width: number; readonly height: number },
  signal?: AbortSignal,
): Promise<Track> {
  const { width, height } = size;
  const encoder = new Encoder({ width, height, framesPerSecond });
  const samples: Sample[] = [];
  // Whoever waits for the keyboard or the network gets a turn.
  const pause = async () => {
    signal?.throwIfAborted();
    await new Promise(setImmediate);
  };
  for (const shot of shots) {
    for (let frame = 0; frame < shot.frames; frame++) {
      samples.push(await codeFrame(encoder, shot, frame, pause));
      await pause();
    }
  }
  return {
    kind: 'video',
    timescale: framesPerSecond * ticksPerFrame,
    ticksPerSample: ticksPerFrame,
    ticks: samples.length * ticksPerFrame,
    entry: h264Entry({ width, height, sequence: encoder.sequence, picture: encoder.picture }),
    samples,
    size: { width, height },
  };
}

async function codeFrame(
  encoder: Encoder,
  { scene, fromSeconds }: Shot,
  frame: number,
  pause: () => Promise<void>,
): Promise<Sample> {
  const seconds = fromSeconds + frame / framesPerSecond;
  const paint: Paint = (y, from, to, rgb, offset) => scene.paint(y, from, to, seconds, rgb, offset);
  const isKey = frame % framesBetweenKeys === 0;
  const unit = isKey
    ? await encoder.key(paint, pause)
    : encoder.change(paint, scene.changes(seconds - 1 / framesPerSecond, seconds));
  const bytes = Buffer.alloc(4 + unit.length);
  bytes.writeUInt32BE(unit.length, 0);
  bytes.set(unit, 4);
  return { byteLength: bytes.length, isKey, bytes: () => bytes };
}
