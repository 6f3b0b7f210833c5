/** A small whole file of each format that shows its own end. */
import { PNG } from 'pngjs';
import { createMp3Encoder, createOggEncoder } from 'wasm-media-encoders';
import { comment, id3, infoFrame, mp3Frame, tones, wav } from './audio/files.js';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const u32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** Bytes that look like an end wherever one looks at them. */
const bait = latin1('\0;\xff\xd9OggSIEND'.repeat(20));

function wave(samples: number): Float32Array {
  return Float32Array.from({ length: samples }, (_, at) => Math.sin(at / 9) / 2);
}

async function encoded(make: typeof createMp3Encoder | typeof createOggEncoder): Promise<Buffer> {
  const encoder = await make();
  encoder.configure({ sampleRate: 24_000, channels: 1 });
  const first = Buffer.from(encoder.encode([wave(6000)]));
  return Buffer.concat([first, Buffer.from(encoder.finalize())]);
}

/** MP3 whose first frame tells how many follow. */
export function counted(frames: number, told = frames): Buffer {
  const info = infoFrame();
  info.writeUInt32BE(1, 17);
  info.writeUInt32BE(told, 21);
  const sound = Array.from({ length: frames }, () => mp3Frame('a'));
  return Buffer.concat([id3({ TIT2: 'a' }), info, ...sound]);
}

function png(): Buffer {
  const image = new PNG({ width: 40, height: 40 });
  for (const at of image.data.keys()) image.data[at] = (at * at) & 255;
  return PNG.sync.write(image);
}

/** With a preview before the picture, which has an end of its own. */
function jpeg(): Buffer {
  const preview = latin1('\xff\xd8\xff\xdb preview \xff\xd9');
  const segment = (mark: string, content: Buffer) => {
    const length = u32(content.length + 2).subarray(2);
    return Buffer.concat([latin1(`\xff${mark}`), length, content]);
  };
  const picture = latin1('\xff\0 the picture \xff\0;\0'.repeat(20));
  const segments = [
    segment('\xe1', preview),
    segment('\xe2', bait),
    segment('\xda', latin1('abc')),
  ];
  return Buffer.concat([latin1('\xff\xd8'), ...segments, picture, latin1('\xff\xd9')]);
}

function gif(): Buffer {
  const pieces = (content: Buffer) =>
    Buffer.concat([Buffer.of(content.length), content, Buffer.of(3, 0, 0x3b, 0, 0)]);
  return Buffer.concat([
    latin1('GIF89a\x08\0\x08\0\x81\0\0\0;\0\0;\0\0;\0\0;\0'),
    latin1('!\xf9\x04\0\0\0\0\0'),
    latin1('!\xfe'),
    pieces(bait.subarray(0, 100)),
    latin1(',\0\0\0\0\x08\0\x08\0\x80\0;\0\0;\0\x02'),
    pieces(bait.subarray(0, 200)),
    latin1(';'),
  ]);
}

function riff(form: string): Buffer {
  const body = Buffer.concat([latin1(`${form}VP8 `), bait]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(body.length);
  return Buffer.concat([latin1('RIFF'), length, body]);
}

export function box(type: string, content: Buffer = bait): Buffer {
  return Buffer.concat([u32(8 + content.length), latin1(type), content]);
}

export const ftyp = box('ftyp', latin1('isom\0\0\x02\0isomiso2'));

function glb(): Buffer {
  const head = Buffer.alloc(12);
  head.write('glTF', 'latin1');
  head.writeUInt32LE(2, 4);
  head.writeUInt32LE(12 + bait.length, 8);
  return Buffer.concat([head, bait]);
}

/** A box whose length takes eight bytes. */
const largeBox = Buffer.concat([u32(1), latin1('mdat'), u32(0), u32(16 + bait.length), bait]);

/** By a name for each. */
export async function wholes(): Promise<Readonly<Record<string, Buffer>>> {
  return {
    wav: wav(tones([500, 0.5]), { after: [comment('words')] }),
    flac: flacFrame([0xf8, 0xc9, 0x08, 0], 4096),
    mp3: counted(12),
    ogg: await encoded(createOggEncoder),
    png: png(),
    jpeg: jpeg(),
    gif: gif(),
    webp: riff('WEBP'),
    mp4: Buffer.concat([ftyp, box('moov'), box('free'), box('mdat')]),
    'mp4 with its index last': Buffer.concat([ftyp, largeBox, box('moov')]),
    'mp4 in fragments': Buffer.concat([
      ftyp,
      box('moov'),
      ...[1, 2, 3].flatMap(() => [box('moof'), box('mdat')]),
      box('mfra'),
    ]),
    glb: glb(),
  };
}

/** What an encoder makes: its frames tell no number. */
export const plainMp3 = () => encoded(createMp3Encoder);

/** A FLAC file of one frame, with what its head says of the frame's place and size. */
export function flacFrame(head: readonly number[], samples: number, usual = 4096): Buffer {
  const info = Buffer.alloc(34);
  info.writeUInt16BE(usual, 0);
  info.writeUInt16BE(usual, 2);
  info.writeUInt32BE(samples, 14);
  const frame = Buffer.from([0xff, ...head, 0x55, 0, 1, 2]);
  const sum = Buffer.alloc(2);
  sum.writeUInt16BE(crc16(frame));
  return Buffer.concat([latin1('fLaC\x80\0\0\x22'), info, frame, sum]);
}

function crc16(bytes: Buffer): number {
  let sum = 0;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit -= 1) {
      const isOver = ((sum >> 15) ^ (byte >> bit)) & 1;
      sum = ((sum << 1) & 0xffff) ^ (isOver ? 0x8005 : 0);
    }
  }
  return sum;
}
