import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Recording, secondsOf } from '../../../src/media/samples.js';
import { isRecord } from '../../../src/lib/json.js';
import { testFolder } from '../../helpers/folder.js';
import { run } from '../../helpers/run.js';
import { mp3 } from '../../service/media/engines/mp3.js';
import { wav } from './scene.js';

it('a voice works offline from creation to deletion, and its price is charged', async () => {
  const home = testFolder();
  const svc = (...line: string[]) => run(['--local', ...line], { home });
  const file = (name: string, bytes: Buffer) => {
    const path = join(home, name);
    writeFileSync(path, bytes);
    return path;
  };
  const [one, other] = [
    file('one.wav', wav({ seconds: 20 })),
    file('other.mp3', mp3({ frames: 400 })),
  ];

  const create = ['voices', 'create', 'narrator', one, other, '--engine', 'extvoice', '--consent'];
  const made = await svc(...create);
  expect(made).toMatchObject({ code: 0, stderr: '' });
  expect(made.stdout).toMatch(/^voice_[A-Za-z0-9]{20}\n$/);
  const id = made.stdout.trim();
  const balance: unknown = JSON.parse((await svc('balance', '--json')).stdout);
  expect(isRecord(balance) && balance['balance_rub']).toBeLessThan(1000);

  const listed = await svc('voices', 'list');
  expect(listed.stdout.split('\t').slice(0, 4)).toEqual([id, 'narrator', 'extvoice', 'active']);

  const more = await svc('voices', 'add-samples', 'Narrator', file('more.wav', wav()));
  expect(more).toMatchObject({ code: 0 });
  expect(more.stderr).toMatch(/^narrator: added 1, 3 recordings in total, 32\.4\d s\n$/);

  const standard = await svc('voices', 'create', 'plain', one, '--consent');
  expect((await svc('voices', 'add-samples', standard.stdout.trim(), one)).code).toBe(2);

  expect(await svc('voices', 'delete', 'narrator', '--yes')).toMatchObject({ code: 0 });
  expect((await svc('voices', 'delete', 'narrator', '--yes')).code).toBe(2);
  expect((await svc('voices', 'list')).stdout).not.toContain(id);
}, 20_000);

it('a supplier that refuses more recordings is reported with exit code 6, and may be tried again', async () => {
  const home = testFolder();
  const svc = (...line: string[]) => run(['--local', ...line], { home });
  const path = join(home, 'three.wav');
  writeFileSync(path, wav({ seconds: 3 }));
  const name = 'narrator:refusing';
  const made = await svc('voices', 'create', name, path, '--engine', 'extvoice', '--consent');
  expect(made.code).toBe(0);
  const before = await svc('voices', 'list');
  const result = await svc('voices', 'add-samples', name, path, '--json');
  expect(result).toMatchObject({ code: 6, stdout: '' });
  expect(JSON.parse(result.stderr)).toMatchObject({
    error: { exit: 6, status: 502, code: 'voice_samples_failed', hint: 'run it again in a moment' },
  });
  expect(await svc('voices', 'list')).toEqual(before);
});

const { signal } = new AbortController();

function recording(bytes: Buffer, mediaType: Recording['mediaType']): Recording {
  const path = join(testFolder(), 'recording');
  writeFileSync(path, bytes);
  return { path, length: bytes.length, mediaType };
}

describe('the length of a recording', () => {
  it.each([
    ['a WAV file', wav({ seconds: 12 }), 12],
    ['a WAV file whose head promises more', wav({ seconds: 400 }).subarray(0, 80_044), 10],
    ['a WAV file that was piped, whose head does not know', piped(wav({ seconds: 3 })), 3],
  ])('of %s is that of its sound', async (_, bytes, seconds) => {
    expect(await secondsOf(recording(bytes, 'audio/wav'), signal)).toBeCloseTo(seconds, 2);
  });

  it.each([
    ['one bit rate', mp3({ frames: 500 }), (500 * 1152) / 44_100],
    ['changing bit rates', mp3({ frames: 500, kbps: [32, 128] }), (500 * 1152) / 44_100],
    ['a head that tells of more', cut(mp3({ frames: 501, info: true })), (500 * 1152) / 44_100],
    ['a tag before it', mp3({ frames: 500, tagBytes: 70_000 }), (500 * 1152) / 44_100],
  ])('of MP3 with %s is that of its frames', async (_, bytes, seconds) => {
    const measured = await secondsOf(recording(bytes, 'audio/mpeg'), signal);
    expect(Math.abs((measured ?? 0) - seconds)).toBeLessThan(0.15);
  });

  it.each([
    ['audio/wav', Buffer.from('RIFF\0\0\0\0WAVEjunk')],
    ['audio/wav', withoutBlocks(wav())],
    ['audio/mpeg', Buffer.from('no frames at all')],
    ['audio/wav', mp3({ frames: 50 })],
  ] as const)('of what is no %s is not known', async (mediaType, bytes) => {
    expect(await secondsOf(recording(bytes, mediaType), signal)).toBeUndefined();
  });

  it('is aborted with its signal', async () => {
    const abort = new AbortController();
    const long = recording(mp3({ frames: 20_000, kbps: [32, 64] }), 'audio/mpeg');
    const reason = new Error('nobody waits');
    const measuring = secondsOf(long, abort.signal);
    setImmediate(() => abort.abort(reason));
    await expect(measuring).rejects.toBe(reason);
  });
});

/** The first frame claims ten times as many as there are. */
function cut(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  const info = copy.indexOf('Info');
  // Of its fields the number of frames and the number of bytes are there.
  copy.writeUInt32BE(3, info + 4);
  copy.writeUInt32BE(5000, info + 8);
  copy.writeUInt32BE(bytes.length * 10, info + 12);
  return copy;
}

/** A program that writes to a pipe cannot go back and say how much it was. */
function piped(bytes: Buffer, told = 0xffffffff): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt32LE(told, 4);
  copy.writeUInt32LE(told, 40);
  return copy;
}

/** A moment of its sound has no bytes. */
function withoutBlocks(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt16LE(0, 32);
  return copy;
}
