/** Describes how the samples of a track are coded. */
import { box, fullBox, u16, u32 } from './boxes.js';

/** Square pixels at 72 dots an inch, as 16.16. */
const dotsPerInch = 72 * 65_536;
const noName = Array.from({ length: 32 }, () => 0);

export interface VideoEntry {
  readonly width: number;
  readonly height: number;
  /** The parameter sets as NAL units. */
  readonly sequence: Uint8Array;
  readonly picture: Uint8Array;
}

/** H.264, each NAL unit after its length in four bytes. */
export function h264Entry({ width, height, sequence, picture }: VideoEntry): Uint8Array {
  const settings = box(
    'avcC',
    [1],
    sequence.subarray(1, 4),
    [0xff, 0xe1],
    u16(sequence.length),
    sequence,
    [1],
    u16(picture.length),
    picture,
  );
  return box(
    'avc1',
    u16(0, 0, 0, 1),
    u32(0, 0, 0, 0),
    u16(width, height),
    u32(dotsPerInch, dotsPerInch, 0),
    u16(1),
    noName,
    u16(0x18, 0xffff),
    settings,
  );
}

export interface AudioEntry {
  readonly channels: number;
  readonly sampleRate: number;
}

/** FLAC in its own frames; `streamInfo` is the first metadata block without its header. */
export function flacEntry(audio: AudioEntry, streamInfo: Uint8Array): Uint8Array {
  const isLast = 0x80;
  const header = [isLast, 0, 0, streamInfo.length];
  return audioEntry('fLaC', audio, fullBox('dfLa', 0, 0, header, streamInfo));
}

/** MPEG audio of layer III. */
export function mp3Entry(audio: AudioEntry): Uint8Array {
  const mpeg1Audio = 0x6b;
  const audioStream = 0x15;
  const decoder = [mpeg1Audio, audioStream, ...Array.from({ length: 11 }, () => 0)];
  const stream = descriptor(3, [0, 1, 0, ...descriptor(4, decoder), ...descriptor(6, [2])]);
  return audioEntry('mp4a', audio, fullBox('esds', 0, 0, stream));
}

function audioEntry(type: string, audio: AudioEntry, settings: Uint8Array): Uint8Array {
  const { channels, sampleRate } = audio;
  const rate = sampleRate < 65_536 ? sampleRate * 65_536 : 0;
  return box(type, u16(0, 0, 0, 1), u32(0, 0), u16(channels, 16, 0, 0), u32(rate), settings);
}

function descriptor(tag: number, body: readonly number[]): readonly number[] {
  return [tag, body.length, ...body];
}
