/** Says what a file is and how long or large, by its own bytes: its name proves nothing. */
import { measure as measureImage } from '../../../engines/prompts.js';
import { MediaRefusal } from '../refusal.js';
import { bufferOf } from '../sources.js';
import type { ByteSource } from '../types.js';
import { readWav } from '../wav/read.js';
import { readMp3 } from './mp3.js';
import { measureMp4 } from './mp4.js';
import type { Measured, MeasuredAudio, MeasuredImage } from './types.js';

/** Enough to pass the color profiles that stand before a JPEG's size. */
const imageHeadBytes = 1024 * 1024;

const imageTypes = {
  PNG: { mediaType: 'image/png', ext: 'png' },
  JPEG: { mediaType: 'image/jpeg', ext: 'jpg' },
  GIF: { mediaType: 'image/gif', ext: 'gif' },
  WebP: { mediaType: 'image/webp', ext: 'webp' },
} as const;

/**
 * Reads as little of the file as its kind allows: heads, and of MP3 every frame's.
 * @throws MediaRefusal when it is none of PNG, JPEG, GIF, WebP, WAV, FLAC, MP3, MP4, M4A, MOV,
 * or is damaged
 */
export async function measure(source: ByteSource): Promise<Measured> {
  const head = bufferOf(await source.read(0, 16));
  const start = head.toString('latin1');
  const found =
    (await imageOf(source)) ??
    (/^(RIFF|RF64)/.test(start) ? await wavOf(source) : undefined) ??
    (start.startsWith('fLaC') ? await flacOf(source) : undefined) ??
    (/^[^]{4}(ftyp|moov|mdat|wide|free|skip)/.test(start) ? await measureMp4(source) : undefined) ??
    (start.startsWith('ID3') || head[0] === 0xff ? await mp3Of(source) : undefined);
  if (found) return found;
  throw new MediaRefusal(
    'source_unreadable',
    'the source is no PNG, JPEG, GIF, WebP, WAV, FLAC, MP3 or MP4 file, or it is damaged',
  );
}

async function imageOf(source: ByteSource): Promise<MeasuredImage | undefined> {
  const head = bufferOf(await source.read(0, 32));
  // Only a JPEG says how large it is further on.
  const isJpeg = head[0] === 0xff && head[1] === 0xd8;
  const found = measureImage(isJpeg ? bufferOf(await source.read(0, imageHeadBytes)) : head);
  if (!found || found.width === 0 || found.height === 0) return undefined;
  const { kind, width, height } = found;
  return { kind: 'image', ...imageTypes[kind], width, height };
}

async function wavOf(source: ByteSource): Promise<MeasuredAudio | undefined> {
  const wav = await readWav(source);
  if (!wav || wav.dataTo === wav.dataFrom) return undefined;
  // Of samples that are not packed, their number and rate tell more than what a head says of both.
  const isPacked = wav.encoding !== 1 && wav.encoding !== 3;
  const rate = isPacked ? wav.bytesPerSecond : wav.sampleRate * wav.blockBytes;
  const seconds = (wav.dataTo - wav.dataFrom) / rate;
  return { kind: 'audio', mediaType: 'audio/wav', ext: 'wav', seconds };
}

async function mp3Of(source: ByteSource): Promise<MeasuredAudio | undefined> {
  const mp3 = await readMp3(source);
  if (!mp3) return undefined;
  const seconds = (mp3.frameCount * mp3.samplesPerFrame) / mp3.sampleRate;
  return { kind: 'audio', mediaType: 'audio/mpeg', ext: 'mp3', seconds };
}

/** The first block of a FLAC file tells the rate and the number of samples. */
async function flacOf(source: ByteSource): Promise<MeasuredAudio | undefined> {
  const info = bufferOf(await source.read(8, 18));
  if (info.length < 18) return undefined;
  const rate = info.readUIntBE(10, 3) >> 4;
  const samples = ((info[13] ?? 0) & 15) * 2 ** 32 + info.readUInt32BE(14);
  if (rate === 0 || samples === 0) return undefined;
  return { kind: 'audio', mediaType: 'audio/flac', ext: 'flac', seconds: samples / rate };
}
