import { describe, expect, it } from 'vitest';
import {
  noMedia,
  textIn,
  fileKind,
  fileKindOf,
  isSameExtension,
  kindByContentType,
} from '../../src/lib/file-kind.js';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const ogg = (codec: string) => `OggS${'\0'.repeat(22)}\x01\x1e${codec}`;
const box = (brand: string, more = '') => `\0\0\0\x20ftyp${brand}\0\0\x02\0${more}`;

describe('the first bytes', () => {
  it.each([
    ['png', '\x89PNG\r\n\x1a\n', 'image/png'],
    ['jpg', '\xff\xd8\xff\xe0', 'image/jpeg'],
    ['gif', 'GIF89a', 'image/gif'],
    ['webp', 'RIFF\x10\0\0\0WEBPVP8 ', 'image/webp'],
    ['avif', box('mif1', 'mif1avifmiaf'), 'image/avif'],
    ['heic', box('heic'), 'image/heic'],
    ['tiff', 'II*\0\x08', 'image/tiff'],
    ['svg', '<svg xmlns="http://www.w3.org/2000/svg">', 'image/svg+xml'],
    ['mp4', box('isom'), 'video/mp4'],
    ['mov', box('qt  '), 'video/quicktime'],
    ['m4a', box('M4A '), 'audio/mp4'],
    ['webm', '\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm', 'video/webm'],
    ['mkv', '\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x88matroska', 'video/x-matroska'],
    ['avi', 'RIFF\x10\0\0\0AVI LIST', 'video/x-msvideo'],
    ['mp3', 'ID3\x04\0\0', 'audio/mpeg'],
    ['mp3', '\xff\xf3\x40\xc0', 'audio/mpeg'],
    ['aac', '\xff\xf1\x50\x80', 'audio/aac'],
    ['wav', 'RIFF\x24\0\0\0WAVEfmt ', 'audio/wav'],
    ['flac', 'fLaC\0\0\0\x22', 'audio/flac'],
    ['ogg', ogg('\x01vorbis'), 'audio/ogg'],
    ['opus', ogg('OpusHead'), 'audio/opus'],
    ['ogv', ogg('\x80theora'), 'video/ogg'],
    ['glb', 'glTF\x02\0\0\0', 'model/gltf-binary'],
    ['pdf', '%PDF-1.7', 'application/pdf'],
    ['zip', 'PK\x03\x04', 'application/zip'],
  ])('of %s say so', (extension, head, mediaType) => {
    const kind = { mediaType, extension };
    expect(fileKindOf(latin1(head))).toEqual(kind);
    expect(fileKindOf(Buffer.concat([latin1(head), Buffer.alloc(5000, 7)]))).toEqual(kind);
    // In the middle of a larger piece of memory.
    expect(fileKindOf(Buffer.concat([latin1('xx'), latin1(head)]).subarray(2))).toEqual(kind);
  });

  it.each([
    '',
    'a',
    'RIFF\x10\0\0\0????',
    '\xff\xfb\xf0\x64',
    '\xff\xfb\x9c\x64',
    'plain words',
    '{"a": "<svg>"}',
  ])('%j are not recognised', (head) => {
    expect(fileKindOf(latin1(head))).toBeUndefined();
  });
});

it.each([
  ['v 1 0 0\n', 'model/obj', 'obj'],
  ['words', 'Text/Plain; charset=utf-8', 'txt'],
  ['words', 'application/octet-stream', undefined],
  // What is in a container.
  [box('isom'), 'audio/mp4', 'm4a'],
  ['\x1a\x45\xdf\xa3 webm', 'audio/webm', 'weba'],
  [box('isom'), 'audio/webm', 'mp4'],
])('%j sent as %s ends in %s', (head, contentType, extension) => {
  expect(fileKind(latin1(head), contentType)?.extension).toBe(extension);
});

it('knows aliases of a type', () => {
  expect(kindByContentType('audio/x-wav')).toEqual({ mediaType: 'audio/wav', extension: 'wav' });
  expect(kindByContentType('toString')).toBeUndefined();
});

it('knows which extensions are the same', () => {
  expect(isSameExtension('JPEG', 'jpg')).toBe(true);
  expect(isSameExtension('ogg', 'opus')).toBe(true);
  expect(isSameExtension('png', 'jpg')).toBe(false);
});

const html = Buffer.from('\ufeff\n<!DOCTYPE html><title>502</title>');
it.each([
  [Buffer.alloc(0), 'nothing'],
  [html, 'an HTML page'],
  [Buffer.from('<Error><Code>NoSuchKey</Code></Error>'), 'XML'],
  [Buffer.from(' {"ok":false}'), 'JSON'],
  [Buffer.from('upstream timed out'), 'text'],
  [Buffer.from('ой'.repeat(300)).subarray(0, 511), 'text'],
  [Buffer.from('%PDF-1.7\n'), 'application/pdf'],
  [Buffer.from('PK\x03\x04rest'), 'application/zip'],
  // What may be media.
  [Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), undefined],
  [Buffer.from('glTF\x02\0\0\0', 'latin1'), undefined],
  [Buffer.from('RIFF'), undefined],
  [Buffer.from('<?xml version="1.0"?><!DOCTYPE svg><svg xmlns="a">'), undefined],
  [Buffer.from([0, 1, 2, 3]), undefined],
  [Buffer.from([0xc8, 0xc9, 0xca, 0x80]), undefined],
])('a body that is not media is named by its first bytes (%#)', (bytes, what) => {
  expect(noMedia(bytes)).toBe(what);
});

it.each([
  ['', ''],
  ['Привет 🌍\n', 'Привет 🌍\n'],
  ['\ufeffa', 'a'],
  ['a\0b', undefined],
])('%j as a text file is %j', (text, read) => {
  expect(textIn(Buffer.from(text))).toBe(read);
  expect(textIn(Buffer.concat([Buffer.from(text), Buffer.from([0xe9])]))).toBeUndefined();
});
