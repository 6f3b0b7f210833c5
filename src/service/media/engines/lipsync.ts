/** local/lipsync: a film of a picture, as long as a recording and with its sound. */
import { exactly, type SizedSource } from '../../../lib/audio/source.js';
import { readWav } from '../../../lib/audio/wav.js';
import { defineModel, priceOf, wholeKopecks, wordOption } from './define.js';
import { frameSize, framesPerSecond, videoFile, videoTrack } from './film.js';
import { block, blockBytes, blockFrames, framesIn, streamInfo } from './flac.js';
import type { Paint } from './h264.js';
import { readMp3, type Stretch } from './mp3.js';
import { encodeMp4, flacEntry, mp3Entry, type Track } from './mp4.js';
import { MediaRefusal, type MeasuredAudio, type Size, type Source } from './types.js';
import { mostPngPixels } from './upscale.js';
import { samplesOf, type Samples } from './wav.js';

const rubPerSecond = { '480p': 2, '720p': 4 } as const;
const assumedSeconds = 10;
const mostSeconds = 300;
/** Narrower pictures leave no room for a face. */
const longestToShortest = 3;
/** The picture stands still: a player can begin anew after so many frames. */
const framesBetweenKeys = 30 * framesPerSecond;

export const lipsync = defineModel({
  id: 'local/lipsync',
  kind: 'video',
  title: 'Lipsync',
  summary: 'Shows the picture given for as long as a recording speaks; no lips move here',
  prompt: 'optional',
  slots: [
    { kinds: ['audio'], purpose: 'the recording to speak, WAV or MP3' },
    { kinds: ['image', 'video'], purpose: 'the picture to show' },
  ],
  opts: {
    resolution: wordOption(['480p', '720p'], '480p', 'The shorter side in pixels; sets the price'),
  },
  fromRub: wholeKopecks(rubPerSecond['480p'] / 10),
  priceAxes: ['resolution'],
  defaultTookMs: 12_000,
  price: ({ opts }, { audio, image, video }) => {
    if (audio?.kind === 'audio') assertRecording(audio);
    const picture = image ?? video;
    if (picture && picture.kind !== 'audio') assertShape(picture);
    const seconds = audio?.kind === 'audio' ? audio.seconds : assumedSeconds;
    const assumed = audio ? undefined : `a recording of ${assumedSeconds} seconds`;
    const price = priceOf({ rubPerSecond: rubPerSecond[opts.resolution], seconds }, assumed);
    return audio ? { ...price, sourceSeconds: seconds, outputSeconds: seconds } : price;
  },
  make: async ({ prompt, opts }, { sources: { audio, image, video } }) => {
    const picture = image ?? video;
    if (audio?.measured.kind !== 'audio' || !picture || picture.measured.kind === 'audio') {
      throw new MediaRefusal('source_missing', 'local/lipsync needs a recording and a picture');
    }
    assertRecording(audio.measured);
    assertShape(picture.measured);
    const size = frameSize(opts.resolution, picture.measured);
    const sound = await soundTrack(audio.bytes);
    const seconds = sound.ticks / sound.timescale;
    const pixels = await pixelsOf(picture, size);
    const paint = pixels ?? (() => plain);
    const frames = Array.from({ length: Math.ceil(seconds * framesPerSecond) }, (_, index) =>
      index % framesBetweenKeys === 0 ? { paint } : { paint, blocks: [] },
    );
    const notes = { title: 'Lipsync', description: prompt, software: 'svc local/lipsync' };
    const file = videoFile(async function* (signal) {
      yield* encodeMp4([await videoTrack(size, frames, signal), sound], notes);
    });
    const backdrop = pixels ? 'the picture given' : 'one color: only PNG is read here';
    const resultMeta = { ...size, seconds, framesPerSecond, mouth: 'does not move', backdrop };
    return { files: [file], resultMeta };
  },
});

/** @throws MediaRefusal when the recording cannot be read, or is too long */
function assertRecording({ mediaType, seconds }: MeasuredAudio): void {
  if (mediaType !== 'audio/wav' && mediaType !== 'audio/mpeg') {
    const message = `local/lipsync speaks WAV and MP3 recordings alone, and the source is ${mediaType}`;
    throw new MediaRefusal('source_unsupported', message);
  }
  if (seconds <= mostSeconds) return;
  const message = `the recording has ${seconds.toFixed(1)} seconds, and at most ${mostSeconds} can be spoken`;
  throw new MediaRefusal('source_too_long', message);
}

/** @throws MediaRefusal when the picture is too narrow */
function assertShape({ width, height }: Size): void {
  if (Math.max(width, height) <= longestToShortest * Math.min(width, height)) return;
  const message = `${width}x${height} is too narrow: one side can be ${longestToShortest} times the other`;
  throw new MediaRefusal('source_unsupported', message);
}

/** What is shown in place of a picture that is not read here. */
const plain = [70, 90, 120] as const;

/** A PNG at a size, each pixel that of the source nearest to it; undefined for another picture. */
async function pixelsOf({ bytes, measured }: Source, size: Size): Promise<Paint | undefined> {
  if (measured.kind !== 'image' || measured.mediaType !== 'image/png') return undefined;
  if (measured.width * measured.height > mostPngPixels) return undefined;
  const { decodePng } = await import('./png.js');
  const { width, height, data } = await decodePng(bytes);
  return (x, y) => {
    const column = Math.floor(((x + 0.5) * width) / size.width);
    const row = Math.floor(((y + 0.5) * height) / size.height);
    const [red = 0, green = 0, blue = 0, alpha = 255] = data.subarray((row * width + column) * 4);
    // What is clear shows white.
    const shown = (color: number) => 255 + ((color - 255) * alpha) / 255;
    return [shown(red), shown(green), shown(blue)];
  };
}

/** @throws MediaRefusal when the recording is neither WAV nor MP3 */
async function soundTrack(source: SizedSource): Promise<Track> {
  const wav = await readWav(source);
  const samples = wav && samplesOf(source, wav);
  if (samples) return flacTrack(samples);
  if (wav) {
    throw new MediaRefusal('source_unsupported', 'the WAV file holds packed sound, not samples');
  }
  const frames: Stretch[] = [];
  const mp3 = await readMp3(source, (frame) => frames.push(frame));
  if (!mp3) throw new MediaRefusal('source_unreadable', 'the recording is damaged');
  return {
    kind: 'audio',
    timescale: mp3.sampleRate,
    ticksPerSample: mp3.samplesPerFrame,
    ticks: frames.length * mp3.samplesPerFrame,
    entry: mp3Entry(mp3),
    // Its frames go into the film as they are.
    samples: frames.map(({ offset, byteLength }) => ({
      byteLength,
      isKey: true,
      pieces: async function* () {
        yield await exactly(source, offset, byteLength);
      },
    })),
  };
}

/** Players know no plain samples, so they stand in blocks of FLAC. */
function flacTrack(samples: Samples): Track {
  const { sampleRate, frames } = samples;
  return {
    kind: 'audio',
    timescale: sampleRate,
    ticksPerSample: blockFrames,
    ticks: frames,
    entry: flacEntry(samples, streamInfo(samples)),
    samples: Array.from({ length: Math.ceil(frames / blockFrames) }, (_, index) => ({
      byteLength: blockBytes(samples, index),
      isKey: true,
      pieces: async function* () {
        const from = index * blockFrames;
        yield block(samples, index, await samples.read(from, from + framesIn(samples, index)));
      },
    })),
  };
}
