/** The media models. */
import { canvas } from './canvas.js';
import type { MediaModel } from './model.js';
import { reel } from './film.js';
import { lipsync } from './lipsync.js';
import { mesh } from './mesh.js';
import { tune, voice } from './sound.js';
import { transcribe } from './transcribe.js';
import { upscale } from './upscale.js';

export const models: readonly MediaModel[] = [
  ...[canvas, reel, tune, voice],
  ...[transcribe, mesh, upscale, lipsync],
];
