/** local/lipsync: a face that speaks a recording. */
import * as z from 'zod/mini';
import { defineModel, type Ordered } from '../define.js';
import type { MeasuredAudio, MeasuredImage, MeasuredVideo } from '../measure/types.js';
import { estimate, wholeKopecks } from '../money.js';
import { MediaRefusal } from '../refusal.js';
import type { MeasuredSources, Price } from '../types.js';

const resolutions = ['480p', '720p'] as const;

const rubPerSecond = { '480p': 2, '720p': 4 } as const;
const assumedSeconds = 10;
const mostSeconds = 300;
/** Narrower pictures leave no room for a face. */
const longestToShortest = 3;

const opts = {
  resolution: z._default(
    z.enum(resolutions).check(z.describe('The shorter side in pixels; sets the price')),
    '480p',
  ),
};

export type LipsyncOpts = z.output<z.ZodMiniObject<typeof opts>>;

export const lipsync = defineModel({
  id: 'local/lipsync',
  kind: 'video',
  title: 'Lipsync',
  summary: 'Draws a face that speaks a recording, in front of the picture given',
  prompt: 'optional',
  slots: [
    { kinds: ['audio'], purpose: 'the recording to speak, WAV or MP3' },
    { kinds: ['image', 'video'], purpose: 'the picture behind the face' },
  ],
  opts,
  fromRub: wholeKopecks(rubPerSecond['480p'] / 10),
  priceAxes: ['resolution'],
  defaultTookMs: 12_000,
  price,
  make: async (order, input) => (await import('./perform.js')).perform(order, input),
});

function price({ opts }: Ordered<LipsyncOpts>, measured: MeasuredSources): Price {
  const { audio } = measured;
  if (audio?.kind === 'audio') demandRecording(audio);
  const background = measured.image ?? measured.video;
  if (background && background.kind !== 'audio') demandShape(background);
  const seconds = audio?.kind === 'audio' ? audio.seconds : assumedSeconds;
  const perSecond = rubPerSecond[opts.resolution];
  return {
    priceRub: wholeKopecks(perSecond * seconds),
    ...estimate(audio, `a recording of ${assumedSeconds} seconds`),
    breakdown: { rubPerSecond: perSecond, seconds },
    ...(audio ? { sourceSeconds: seconds, outputSeconds: seconds } : {}),
  };
}

/** @throws MediaRefusal when the recording cannot be read, or is too long */
export function demandRecording({ mediaType, seconds }: MeasuredAudio): void {
  if (mediaType !== 'audio/wav' && mediaType !== 'audio/mpeg') {
    throw new MediaRefusal(
      'source_unsupported',
      `local/lipsync speaks WAV and MP3 recordings alone, and the source is ${mediaType}`,
    );
  }
  if (seconds <= mostSeconds) return;
  throw new MediaRefusal(
    'source_too_long',
    `the recording has ${seconds.toFixed(1)} seconds, and at most ${mostSeconds} can be spoken`,
  );
}

/** @throws MediaRefusal when the picture is too narrow */
export function demandShape({ width, height }: MeasuredImage | MeasuredVideo): void {
  if (Math.max(width, height) <= longestToShortest * Math.min(width, height)) return;
  throw new MediaRefusal(
    'source_unsupported',
    `${width}x${height} is too narrow: one side can be ${longestToShortest} times the other`,
  );
}
