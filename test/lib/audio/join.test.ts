import { describe, expect, it } from 'vitest';
import { CannotJoin, joiner } from '../../../src/lib/audio/join.js';
import { checksum } from '../../../src/lib/audio/ogg.js';
import { bufferSource } from '../../../src/lib/audio/source.js';
import { commentsIn, readWav } from '../../../src/lib/audio/wav.js';
import { comment, gathered, id3, infoFrame, joined, mp3Frame, tones, wav } from './files.js';

async function streamed(format: string, ...files: readonly Buffer[]): Promise<Buffer> {
  const add = joiner(format);
  const all: Buffer[] = [];
  for (const file of files) {
    all.push(await gathered(add(bufferSource(file), file === files.at(-1))));
  }
  return Buffer.concat(all);
}

const one = tones([5, 0.5]);
const two = tones([8, 0.25]);

describe('WAV files', () => {
  it('become one with the right lengths, all notes and a mark for each', async () => {
    const file = await joined(
      'wav',
      wav(one, { after: [comment('one ')] }),
      wav(two, { before: [comment('two')], told: 0 }),
    );
    expect(file.readUInt32LE(4)).toBe(file.length - 8);
    const read = await readWav(bufferSource(file));
    expect(file.subarray(read?.dataFrom, read?.dataTo)).toEqual(Buffer.concat([one, two]));
    expect(file.readUInt32LE((read?.dataFrom ?? 0) - 4)).toBe(one.length + two.length);
    expect(read?.marks).toEqual([0, 5]);
    expect(commentsIn(read?.lists ?? [])).toEqual(['one ', 'two']);
  });

  it('follow each other on a pipe behind one head without a length', async () => {
    const stream = await streamed('wav', wav(one, { after: [comment('one')] }), wav(two));
    expect(stream.subarray(44)).toEqual(Buffer.concat([one, two]));
    expect(stream.readUInt32LE(40)).toBe(0xffffffff);
  });

  it.each([[joined], [streamed]])('of another rate are refused (%#)', async (join) => {
    await expect(join('wav', wav(one), wav(two, { sampleRate: 44_100 }))).rejects.toThrow(
      new CannotJoin(
        'their audio differs: 8000 Hz, 1 channels, 16 bits, kind 1; 44100 Hz, 1 channels, 16 bits, kind 1',
      ),
    );
  });
});

describe('MP3 files', () => {
  const end = Buffer.concat([Buffer.from('TAG'), Buffer.alloc(125, 'z')]);
  const frames = (letters: string) => Buffer.concat(Array.from(letters, mp3Frame));

  it('become one with all texts in one tag, and no frame with a wrong length', async () => {
    const first = [
      id3({ TSSE: 'maker', TLEN: '48', USLT: 'Hello, ' }),
      infoFrame(),
      frames('ab'),
      end,
    ];
    const second = [id3({ TSSE: 'maker', TLEN: '24', USLT: 'wörld' }), infoFrame(), frames('c')];
    const file = await joined('mp3', Buffer.concat(first), Buffer.concat(second));
    const tag = file.subarray(0, file.length - 3 * 96);
    expect(file.subarray(tag.length)).toEqual(frames('abc'));
    expect(tag.toString('utf8')).toMatch(
      /^ID3\x04.*TSSE.*maker.*TLEN.*72.*USLT.*und\0Hello, wörld$/s,
    );
  });

  it('keep what else the first tag says', async () => {
    const first = Buffer.concat([id3({ TIT2: 'A title', USLT: 'one ' }), frames('a')]);
    const second = Buffer.concat([id3({ TIT2: 'Another', USLT: 'two' }), frames('b')]);
    const text = (await joined('mp3', first, second)).toString('latin1');
    expect(text).toMatch(/^ID3\x04.*TIT2.{7}A title.*und\0one two/s);
    expect(text).not.toContain('TSSE');
  });

  it('keep a tag with pictures as it is, and out of memory', async () => {
    const tag = id3({ APIC: 'x'.repeat(4 * 1024 * 1024), USLT: 'one ' });
    const second = Buffer.concat([id3({ USLT: 'two' }), frames('b')]);
    const file = await joined('mp3', Buffer.concat([tag, frames('a')]), second);
    expect(file.equals(Buffer.concat([tag, frames('ab')]))).toBe(true);
  });

  it('follow each other on a pipe without their tags', async () => {
    const stream = await streamed(
      'mp3',
      Buffer.concat([id3({ USLT: 'w' }), frames('a'), end]),
      Buffer.concat([id3({ USLT: 'x' }), infoFrame(), frames('b')]),
    );
    expect(stream).toEqual(frames('ab'));
  });
});

const page = (serial: number, body: string) => {
  const bytes = Buffer.concat([
    Buffer.from('OggS\0\0', 'latin1'),
    Buffer.alloc(20),
    Buffer.from([1, body.length]),
    Buffer.from(body),
  ]);
  bytes.writeUInt32LE(serial, 14);
  bytes.writeUInt32LE(checksum(bytes), 22);
  return bytes;
};

it('Ogg files become a chain in which no number comes twice', async () => {
  const chain = await joined('opus', page(7, 'one'), page(7, 'two'), page(8, 'three'));
  expect(chain).toEqual(Buffer.concat([page(7, 'one'), page(8, 'two'), page(9, 'three')]));
});

describe('other files', () => {
  it('of bare samples, and of AAC, follow each other as they are', async () => {
    expect(await joined('pcm', Buffer.from('ab'), Buffer.from('cd'))).toEqual(Buffer.from('abcd'));
    const aac = Buffer.from([0xff, 0xf1, 1, 2]);
    expect(await joined('aac', aac, aac)).toEqual(Buffer.concat([aac, aac]));
  });

  it('of bare samples may look like frames', async () => {
    const samples = Buffer.concat([id3({ TIT2: 'x' }), mp3Frame('a')]);
    expect(await joined('pcm', samples, samples)).toEqual(Buffer.concat([samples, samples]));
  });

  it.each<[string, Buffer[], string]>([
    ['FLAC', [Buffer.from('fLaC')], 'the format flac does not allow it'],
    ['two formats', [wav(one), mp3Frame('a')], 'their formats differ'],
  ])('of %s are refused', async (_, files, message) => {
    await expect(joined('flac', ...files)).rejects.toThrow(new CannotJoin(message));
  });
});
