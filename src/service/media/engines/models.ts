/** The media models. Their engines are loaded when they first make something. */
import { canvas } from './canvas/canvas.js';
import { lipsync } from './lipsync/lipsync.js';
import { mesh } from './mesh/mesh.js';
import { reel } from './reel/reel.js';
import { transcribe } from './transcribe/transcribe.js';
import { tune } from './tune/tune.js';
import type { MediaModel } from './types.js';
import { upscale } from './upscale/upscale.js';
import { voice } from './voice/voice.js';

export const models: readonly MediaModel[] = [
  canvas,
  reel,
  tune,
  voice,
  transcribe,
  mesh,
  upscale,
  lipsync,
];
