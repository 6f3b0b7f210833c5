/** local/lipsync: a film of an image, with the length and the sound of a recording. */
import { mp3Pieces } from '../../../lib/audio/mp3.js';
import { bufferSource, exactly, type SizedSource } from '../../../lib/audio/source.js';
import { readAll } from '../../body.js';
import { assertHolds } from '../../failure.js';
import { readScaled } from './canvas.js';
import { defineModel, wordOption } from './define.js';
import { priceOfSeconds, wholeKopecks, type Paint } from './model.js';
import { frameSize } from './film.js';
import { framesPerSecond, movieBytes, mp3Entry, videoTrack, type Track } from './movie.js';
import { encodeMp3, soundIn } from './recording.js';
import { maxPngPixels } from './upscale.js';

const rubPerSecond = { '480p': 2, '720p': 4 } as const;
const maxSeconds = 300;

export const lipsync = defineModel({
  id: 'local/lipsync',
  kind: 'video',
  summary: 'Shows an image for the length of a recording; the lips do not move here',
  slots: [
    { kinds: ['audio'], purpose: 'the recording to play, WAV or MP3' },
    { kinds: ['image', 'video'], purpose: 'the image to show' },
  ],
  opts: {
    resolution: wordOption(['480p', '720p'], '480p', 'The shorter side in pixels; sets the price'),
  },
  fromRub: wholeKopecks(rubPerSecond['480p'] / 10),
  priceAxes: ['resolution'],
  defaultTookMs: 12_000,
  price: ({ opts }, { audio, image, video }) => {
    if (audio) {
      const { mediaType, ext, seconds = 0 } = audio;
      const foreign = `local/lipsync only accepts WAV and MP3 recordings; the source is ${mediaType}`;
      assertHolds(ext === 'wav' || ext === 'mp3', 422, 'source_unsupported', foreign);
      const long = `the recording has ${seconds.toFixed(1)} seconds; the maximum is ${maxSeconds}`;
      assertHolds(seconds <= maxSeconds, 422, 'source_too_long', long);
    }
    const { width = 1, height = 1 } = image ?? video ?? {};
    const hasRoom = Math.max(width, height) <= 3 * Math.min(width, height);
    const narrow = `${width}x${height} is too narrow: one side can be at most 3 times the other`;
    assertHolds(hasRoom, 422, 'source_unsupported', narrow);
    const assumed = { seconds: 10, noun: 'a recording' };
    const rub = rubPerSecond[opts.resolution];
    return priceOfSeconds(rub, audio, assumed, 'sourceSeconds', 'outputSeconds');
  },
  make: async ({ opts }, { audio, image, video }) => {
    const picture = image ?? video;
    const missing = 'local/lipsync needs a recording and an image';
    assertHolds(audio && picture, 422, 'source_missing', missing);
    const { seconds = 0, ext } = audio;
    const samples = ext === 'wav' ? await soundIn(audio.bytes) : undefined;
    const packed = 'the WAV file contains compressed audio, not samples';
    assertHolds(ext !== 'wav' || samples, 422, 'source_unsupported', packed);
    const size = frameSize(opts.resolution, picture);
    const { mediaType, width = 1, height = 1 } = picture;
    const isRead = mediaType === 'image/png' && width * height <= maxPngPixels;
    const paint: Paint = isRead ? await readScaled(picture.bytes, size) : () => [70, 90, 120, 255];
    // The image does not move: a player can start every half minute.
    const frames = Array.from({ length: Math.ceil(seconds * framesPerSecond) }, (_, index) =>
      index % (30 * framesPerSecond) === 0 ? { paint } : { paint, blocks: [] },
    );
    const bytes = async function* () {
      // Players do not support raw samples in MP4.
      const mp3 = samples ? bufferSource(await readAll(encodeMp3(samples, ''))) : audio.bytes;
      yield* movieBytes([videoTrack(size, frames), await soundTrack(mp3, seconds)]);
    };
    const backdrop = isRead ? 'the given image' : 'one color: only PNG images are read here';
    const resultMeta = { ...size, seconds, framesPerSecond, mouth: 'does not move', backdrop };
    return { files: [{ mediaType: 'video/mp4', ext: 'mp4', bytes }], resultMeta };
  },
});

/** The unchanged frames of an MP3 file. */
async function soundTrack(source: SizedSource, seconds: number): Promise<Track> {
  const frames = [];
  for await (const { frame, ...place } of mp3Pieces(source)) {
    if (frame) frames.push({ ...place, frame });
  }
  const [first] = frames;
  assertHolds(first, 422, 'source_unreadable', 'the recording is damaged');
  const { sampleRate: timescale, samples: ticksPerSample } = first.frame;
  const ticks = Math.round(seconds * timescale);
  // The encoder pads its last frames.
  const heard = frames.slice(0, Math.ceil(ticks / ticksPerSample));
  return {
    ...{ timescale, ticksPerSample, ticks },
    entry: mp3Entry(first.frame),
    sampleBytes: heard.map(({ byteLength }) => byteLength),
    bytes: async function* () {
      for (const { offset, byteLength } of heard) yield await exactly(source, offset, byteLength);
    },
  };
}
