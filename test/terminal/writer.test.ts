import { Writable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { LocalFileError, ReaderGone } from '../../src/errors.js';
import { TextBatch, Writer } from '../../src/terminal/writer.js';
import { thrownBy } from '../http/rig.js';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A writer over a stream, with the failures that it reported and the uncaught errors. */
function openWriter(stream: Writable) {
  const failures: Error[] = [];
  const uncaught: unknown[] = [];
  const note = (error: unknown) => uncaught.push(error);
  process.on('uncaughtException', note).on('unhandledRejection', note);
  onTestFinished(() => {
    process.off('uncaughtException', note).off('unhandledRejection', note);
  });
  const onFailure = (failure: Error) => failures.push(failure);
  return { writer: new Writer(() => stream, 'stdout', onFailure), failures, uncaught };
}

/** A stream whose writes fail by the callback, now or later, or by throwing. */
function failing(code: string, how: 'now' | 'later' | 'throw'): Writable {
  const error = Object.assign(new Error(`write ${code}`), { code });
  return new Writable({
    write: (_bytes, _encoding, done) => {
      if (how === 'now') done(error);
      else if (how === 'later') setImmediate(done, error);
      else throw error;
    },
  });
}

describe.each(['now', 'later', 'throw'] as const)('a stream that fails %s', (how) => {
  test.each([
    ['EPIPE', ReaderGone, ''],
    ['ECONNRESET', ReaderGone, ''],
    ['ERR_STREAM_DESTROYED', ReaderGone, ''],
    ['ENOSPC', LocalFileError, 'cannot write to stdout: no space left'],
    ['EIO', LocalFileError, 'cannot write to stdout: EIO'],
  ])('with %s is the end of writing, reported once', async (code, kind, message) => {
    const { writer, failures, uncaught } = openWriter(failing(code, how));
    const failure = await thrownBy(async () => {
      await writer.write('x');
      await writer.flush();
    });
    expect(failure).toBeInstanceOf(kind);
    expect(failure).toMatchObject({ message });
    expect(await thrownBy(() => writer.write('y'))).toBe(failure);
    expect(await thrownBy(() => writer.flush())).toBe(failure);
    await turn();
    expect(failures).toEqual([failure]);
    expect(uncaught).toEqual([]);
  });

  test('harms no caller that never checks', async () => {
    const { writer, failures, uncaught } = openWriter(failing('EPIPE', how));
    for (let write = 0; write < 3; write++) {
      try {
        void writer.write('x'.repeat(100_000));
      } catch {
        // What it threw is not the point.
      }
    }
    await turn();
    await turn();
    expect(failures).toHaveLength(1);
    expect(uncaught).toEqual([]);
  });
});

test('a stream that is gone without an error has no reader', async () => {
  const stream = new Writable({ write: () => undefined });
  const { writer } = openWriter(stream);
  void writer.write('x');
  const flush = writer.flush();
  stream.destroy();
  expect(await thrownBy(() => flush)).toBeInstanceOf(ReaderGone);
  expect(await thrownBy(() => writer.flush())).toBeInstanceOf(ReaderGone);
});

/** A batch whose reader keeps up, or takes each write when a test says so. */
function openBatch(isSlow = false) {
  const writes: string[] = [];
  const waiting: { resolve: () => void; reject: (reason: unknown) => void }[] = [];
  const batch = new TextBatch((text) => {
    writes.push(text);
    if (!isSlow) return;
    return new Promise<void>((resolve, reject) => waiting.push({ resolve, reject }));
  });
  return { batch, writes, waiting };
}

test('pieces at hand are written together, later ones later, and the last by a flush', async () => {
  const { batch, writes } = openBatch();
  for (const piece of ['a', 'b', 'c']) batch.add(piece);
  expect(writes).toEqual([]);
  expect(batch.pace()).toBeUndefined();
  await turn();
  expect(writes).toEqual(['abc']);
  batch.add('d');
  await batch.flush();
  await batch.flush();
  await turn();
  expect(writes).toEqual(['abc', 'd']);
});

test('a slow reader pauses its source until it has caught up', async () => {
  const { batch, waiting } = openBatch(true);
  batch.add('a');
  await turn();
  let isPaced = false;
  void Promise.resolve(batch.pace()).then(() => (isPaced = true));
  await turn();
  expect(isPaced).toBe(false);
  waiting[0]?.resolve();
  await turn();
  expect(isPaced).toBe(true);
});

test('a reader that rejects fails the pace and the flush, and is not written to again', async () => {
  const gone = new RangeError('gone');
  const { batch, writes, waiting } = openBatch(true);
  batch.add('a');
  await turn();
  const pace = batch.pace();
  batch.add('b');
  waiting[0]?.reject(gone);
  // A source that waits goes on, and learns of it at the next step.
  await expect(pace).resolves.toBeUndefined();
  expect(() => batch.pace()).toThrow(gone);
  await expect(batch.flush()).rejects.toBe(gone);
  expect(writes).toEqual(['a']);
});
