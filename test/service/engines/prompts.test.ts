import { expect, it } from 'vitest';
import { describeImageAt } from '../../../src/service/engines/prompts.js';
import { ServiceFailure } from '../../../src/service/failure.js';

const hex = (digits: string) => Buffer.from(digits.replaceAll(' ', ''), 'hex');
const webp = (chunk: string, rest: string) =>
  Buffer.concat([
    Buffer.from(`RIFF\x20\0\0\0WEBP${chunk}\x10\0\0\0`, 'latin1'),
    hex(rest),
    Buffer.alloc(8),
  ]);
/** The head of each kind of file, by its own specification: 300 × 200 pixels. */
const heads: readonly (readonly [kind: string, bytes: Buffer])[] = [
  ['PNG', hex('89504e470d0a1a0a0000000d494844520000012c000000c80802000000')],
  ['GIF', hex('474946383961 2c01 c800 f70000')],
  [
    'JPEG',
    hex(
      'ffd8 ffe0 0010 4a46494600010100000100010000 ffc4 0004 0000 ffc2 0011 08 00c8 012c 03011100',
    ),
  ],
  ['WebP', webp('VP8 ', '000000 9d012a 2c01 c800')],
  // Behind its signature, 14 bits of width - 1, then of height - 1.
  ['WebP', webp('VP8L', '2f 2bc13100')],
  ['WebP', webp('VP8X', '00 000000 2b0100 c70000')],
];

function dataUrl(bytes: Buffer, type = 'image/png'): string {
  return `data:${type};base64,${bytes.toString('base64')}`;
}

it.each(heads)('images are recognised by their bytes: a %s of 300 × 200 pixels', (kind, bytes) => {
  // The media type may be wrong; the bytes are not.
  expect(describeImageAt(dataUrl(bytes, 'image/x-any'), 'p')).toBe(
    `Received an image: ${kind}, ${bytes.length} bytes, 300 × 200 pixels.`,
  );
});

it.each([
  ['data:image/png,abc', 'without base64 data'],
  ['data:image/png;base64', 'without base64 data'],
  ['data:image/png;base64,@@@', 'not base64'],
  ['data:image/png;base64,', 'not base64'],
  ['data:text/plain;base64,AAAA', 'not an image'],
  ['file:///etc/passwd', 'neither'],
  ['x.png', 'neither'],
])('images are refused as %s', (url, message) => {
  expect(() => describeImageAt(url, 'messages[0].content[0]')).toThrow(ServiceFailure);
  expect(() => describeImageAt(url, 'messages[0].content[0]')).toThrow(message);
});
