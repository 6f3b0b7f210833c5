/** MP3 files of silence, frame by frame. */

interface Options {
  readonly frames: number;
  /** The bit rates, in turns. */
  readonly kbps?: readonly number[];
  /** Of a tag that stands before the frames. */
  readonly tagBytes?: number;
  /** Whether the first frame only describes the others. */
  readonly info?: boolean;
  /** 1 has 44.1 kHz and 1152 samples a frame; 2 has half of both. */
  readonly version?: 1 | 2;
}

const rates = {
  1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
} as const;

export function mp3({ frames, kbps = [64], tagBytes, info = false, version = 1 }: Options): Buffer {
  const all = Array.from({ length: frames }, (_, index) => {
    const rate = kbps[index % kbps.length] ?? 64;
    // As writers do that keep to a rate: now and then a frame is a byte longer.
    const padding = index % 3 === 1 ? 1 : 0;
    const samples = version === 1 ? 144 / 44_100 : 72 / 22_050;
    const bytes = Buffer.alloc(Math.floor(samples * rate * 1000) + padding);
    const code = rates[version].findIndex((one) => one === rate);
    bytes.set([0xff, version === 1 ? 0xfb : 0xf3, (code << 4) | (padding << 1), 0xc0]);
    if (info && index === 0) bytes.write('Info', 4 + (version === 1 ? 17 : 9), 'latin1');
    return bytes;
  });
  return Buffer.concat([...(tagBytes === undefined ? [] : [tag(tagBytes)]), ...all]);
}

function tag(length: number): Buffer {
  const head = Buffer.from('ID3\x04\0\0\0\0\0\0', 'latin1');
  for (let place = 0; place < 4; place++) head[9 - place] = (length >> (7 * place)) & 0x7f;
  // What looks like frames inside a tag is none.
  return Buffer.concat([head, Buffer.alloc(length, Buffer.from('fffb9064', 'hex'))]);
}
