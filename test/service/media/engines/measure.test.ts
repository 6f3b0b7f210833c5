import { PNG } from 'pngjs';
import { expect, it } from 'vitest';
import { bufferSource as bytesSource, type SizedSource } from '../../../../src/lib/audio/source.js';
import { measure } from '../../../../src/service/media/engines/measure.js';
import { box } from '../../../../src/service/media/engines/movie.js';
import { chunk, wav as wavFile, type WavParts } from '../../../lib/audio/files.js';
import { seeded } from '../../../helpers/random.js';
import { makeOne } from './make.js';
import { mp3 } from './mp3.js';

function measured(bytes: Buffer) {
  return measure(bytesSource(bytes));
}

/** A WAV file as other programs write it, with a chunk of odd length before its sound. */
function wav(head: WavParts, dataBytes: number) {
  const before = [chunk('odd!', Buffer.alloc(3))];
  const parts = { sampleRate: 48_000, channels: 2, before, ...head };
  return wavFile(Buffer.alloc(dataBytes), parts);
}

function withBytesPerSecond(bytesPerSecond: number, bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt32LE(bytesPerSecond, 28);
  return copy;
}

function flac(seconds: number): Buffer {
  const bytes = Buffer.alloc(60);
  bytes.write('fLaC', 0, 'latin1');
  bytes.writeUInt32BE(34, 4);
  bytes.writeUInt32BE((44_100 << 12) | (1 << 9) | (15 << 4), 18);
  bytes.writeUInt32BE(44_100 * seconds, 22);
  return bytes;
}

const mediaTypes = { wav: 'audio/wav', mp3: 'audio/mpeg', flac: 'audio/flac' };
const seconds = (frames: number) => (frames * 1152) / 44_100;

it.each([
  ['wav', '16 bits in stereo', wav({}, 48_000 * 4 * 3), 3],
  ['wav', '8 bits', wav({ channels: 1, sampleRate: 8000, bits: 8 }, 4000), 0.5],
  ['wav', 'a wrong number of bytes a second', withBytesPerSecond(1, wav({}, 48_000 * 4)), 1],
  ['mp3', 'one bit rate', mp3({ frames: 100 }), seconds(100)],
  ['mp3', 'changing bit rates', mp3({ frames: 90, kbps: [64, 320, 128] }), seconds(90)],
  ['mp3', 'a tag before it', mp3({ frames: 50, tagBytes: 70_000 }), seconds(50)],
  ['mp3', 'a silent first frame about it', mp3({ frames: 51, info: true }), seconds(50)],
  ['mp3', 'low rates', mp3({ frames: 40, version: 2 }), (40 * 576) / 22_050],
  ['flac', 'its usual head', flac(7), 7],
] as const)('the length of a %s recording with %s is read', async (ext, _, bytes, length) => {
  const kind = { kind: 'audio', mediaType: mediaTypes[ext], ext };
  expect(await measured(bytes)).toEqual({ ...kind, seconds: expect.closeTo(length, 6) });
});

/** The head of a movie as other programs write it. */
function movie(handlers: readonly ('vide' | 'soun')[], seconds: number): Buffer {
  const ticks = seconds * 600;
  const header = box('mvhd', 0, 0, 0, 600, ticks, Buffer.alloc(80));
  const tracks = handlers.map((handler) => {
    const size = handler === 'vide' ? [640 << 16, 360 << 16] : [0, 0];
    const place = [0, 0, 0, 0, 0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];
    const track = box('tkhd', 3, 0, 0, 1, 0, ticks, ...place, ...size);
    return box('trak', track, box('mdia', box('hdlr', 0, 0, handler, 0, 0, 0)));
  });
  const whole = box('moov', header, ...tracks);
  return Buffer.concat([box('ftyp', 'isom', 0), whole]);
}

it('the length and size of a video are read of MP4, with sound before the picture or without', async () => {
  const video = { kind: 'video', mediaType: 'video/mp4', ext: 'mp4', hasRecipe: false };
  const size = { width: 640, height: 360 };
  expect(await measured(movie(['vide'], 12))).toEqual({ ...video, seconds: 12, ...size });
  expect(await measured(movie(['soun', 'vide'], 3))).toEqual({ ...video, seconds: 3, ...size });
});

it('the length and size of a video are those of a film of this service, which is known again', async () => {
  const opts = { seconds: 1, resolution: '480p' };
  expect(await measured(await makeOne('local/reel', { prompt: 'x', opts }))).toMatchObject({
    kind: 'video',
    seconds: 1,
    width: 854,
    height: 480,
    hasRecipe: true,
  });
});

it('the length and size of a video are those of sound where there is no picture', async () => {
  const sound = { kind: 'audio', mediaType: 'audio/mp4', ext: 'm4a', seconds: 4 };
  expect(await measured(movie(['soun'], 4))).toEqual(sound);
});

const gif = Buffer.from('474946383961 2c01 c800 f70000'.replaceAll(' ', ''), 'hex');
const profile = Buffer.concat([Buffer.from('ffe2fffe', 'hex'), Buffer.alloc(0xfffe - 2)]);
const frame = Buffer.from('ffc0001108 00c8 012c 03011100'.replaceAll(' ', ''), 'hex');
const jpeg = Buffer.concat([Buffer.from('ffd8', 'hex'), profile, profile, frame]);

it.each([
  ['PNG', PNG.sync.write(new PNG({ width: 300, height: 200 })), 'image/png', 'png'],
  ['GIF', gif, 'image/gif', 'gif'],
  ['JPEG, behind its long profile', jpeg, 'image/jpeg', 'jpg'],
])('the size of a picture is read of %s', async (_, bytes, mediaType, ext) => {
  const size = { width: 300, height: 200 };
  expect(await measured(bytes)).toEqual({ kind: 'image', mediaType, ext, ...size });
});

const random = seeded(11);
const noise = Buffer.from(Array.from({ length: 5000 }, () => random.below(256)));

it.each([
  ['nothing', Buffer.alloc(0)],
  ['a text named .wav', Buffer.from('RIFF is a word, WAVE is another')],
  ['noise that begins like MP3', Buffer.concat([Buffer.from('fffb9064', 'hex'), noise])],
  ['a WAV without sound', wav({}, 0)],
  ['a WAV that divides by zero', wav({ sampleRate: 0 }, 100)],
  ['a movie without a length', movie(['vide'], 0)],
  [
    'a PNG of no width',
    Buffer.from('89504e470d0a1a0a0000000d4948445200000000000000c8080200000000', 'hex'),
  ],
  ['boxes of no length', Buffer.concat([box('ftyp'), Buffer.alloc(100)])],
])('a file that cannot be measured is refused: %s', async (_, bytes) => {
  expect(await measured(bytes)).toBeUndefined();
});

it('a file that cannot be measured is refused or measured when it is cut or spoiled anywhere, and nothing else happens', async () => {
  const files = [
    wav({}, 64),
    mp3({ frames: 3, kbps: [32], tagBytes: 20, info: true }),
    movie(['soun', 'vide'], 3),
    PNG.sync.write(new PNG({ width: 9, height: 9 })),
  ];
  for (const file of files) {
    for (let at = 0; at < Math.min(file.length, 900); at++) {
      const spoiled = Buffer.from(file);
      spoiled[at] = random.below(256);
      for (const bytes of [file.subarray(0, at), spoiled]) {
        await measured(bytes);
      }
    }
  }
});

it('measuring holds no more of a file than it must', async () => {
  const large = wav({}, 50_000_000);
  let read = 0;
  const source: SizedSource = {
    length: large.length,
    read: (offset, length) => {
      const bytes = large.subarray(offset, offset + length);
      read += bytes.length;
      return Promise.resolve(bytes);
    },
  };
  await measure(source);
  expect(read).toBeLessThan(2000);
});
