/** Puts samples into a film as FLAC (RFC 9639), each as it is: players know no plain samples. */
import { blockFrames, blockHead, crc16, streamInfo } from '../flac/block.js';
import { flacEntry } from '../mp4/entries.js';
import type { Sample, Track } from '../mp4/write.js';
import type { Samples } from './samples.js';

const verbatim = 0x02;

export function flacTrack(samples: Samples): Track {
  const { sampleRate, channels, frames } = samples;
  const blocks = Math.ceil(frames / blockFrames);
  return {
    kind: 'audio',
    timescale: sampleRate,
    ticksPerSample: blockFrames,
    ticks: frames,
    entry: flacEntry({ channels, sampleRate }, streamInfo(samples)),
    samples: Array.from({ length: blocks }, (_, index) => block(samples, index)),
  };
}

function block(samples: Samples, index: number): Sample {
  const { channels } = samples;
  const from = index * blockFrames;
  const frames = Math.min(blockFrames, samples.frames - from);
  const head = blockHead(index, frames, samples);
  const byteLength = head.length + channels * (1 + frames * 2) + 2;
  return {
    byteLength,
    isKey: true,
    bytes: async () => {
      const heard = await samples.read(from, from + frames);
      return blockBytes(head, heard, frames, channels);
    },
  };
}

function blockBytes(
  head: Uint8Array,
  heard: Int16Array,
  frames: number,
  channels: number,
): Uint8Array {
  const bytes = Buffer.alloc(head.length + channels * (1 + frames * 2) + 2);
  bytes.set(head);
  let at = head.length;
  for (let channel = 0; channel < channels; channel++) {
    bytes[at++] = verbatim;
    for (let frame = 0; frame < frames; frame++) {
      at = bytes.writeInt16BE(heard[frame * channels + channel] ?? 0, at);
    }
  }
  bytes.writeUInt16BE(crc16(bytes.subarray(0, at)), at);
  return bytes;
}
