import { Writable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { LocalFileError } from '../../src/errors.js';
import { TextBatch, Writer } from '../../src/terminal/writer.js';
import { ReaderGone } from '../../src/errors.js';

const systemError = (code: string) => Object.assign(new Error(`write ${code}`), { code });

/** A writer over a stream, with the failures that it reported and the uncaught errors. */
function writing(stream: Writable) {
  const failures: Error[] = [];
  const uncaught: unknown[] = [];
  const note = (error: unknown) => uncaught.push(error);
  process.on('uncaughtException', note).on('unhandledRejection', note);
  onTestFinished(() => {
    process.off('uncaughtException', note).off('unhandledRejection', note);
  });
  const writer = new Writer(
    () => stream,
    'stdout',
    (failure) => failures.push(failure),
  );
  return { writer, failures, uncaught };
}

/** Two turns of the loop: whatever would go uncaught has done so. */
async function nextTurns() {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** What an action throws, or rejects with. */
async function failureOf(act: () => unknown): Promise<unknown> {
  try {
    await act();
  } catch (error) {
    return error;
  }
  throw new Error('it was expected to fail');
}

/** A stream whose writes end as `end` says: by the callback, now or later, or by throwing. */
function failing(code: string, end: 'now' | 'later' | 'throw', afterBytes = 0): Writable {
  let written = 0;
  return new Writable({
    write: (bytes: Buffer, _encoding, done) => {
      written += bytes.length;
      if (written <= afterBytes) done();
      else if (end === 'now') done(systemError(code));
      else if (end === 'later') setImmediate(done, systemError(code));
      else throw systemError(code);
    },
  });
}

const ends = ['now', 'later', 'throw'] as const;

describe.each(ends)('a stream that fails %s', (end) => {
  test.each([
    ['EPIPE', ReaderGone, ''],
    ['ECONNRESET', ReaderGone, ''],
    ['ERR_STREAM_DESTROYED', ReaderGone, ''],
    ['ENOSPC', LocalFileError, 'cannot write to stdout: no space left'],
    ['EIO', LocalFileError, 'cannot write to stdout: EIO'],
  ])('with %s is the end of writing, reported once', async (code, kind, message) => {
    const { writer, failures, uncaught } = writing(failing(code, end));
    const failure = await failureOf(async () => {
      await writer.write('x');
      await writer.flush();
    });
    expect(failure).toBeInstanceOf(kind);
    expect(failure).toMatchObject({ message });
    expect(await failureOf(() => writer.write('y'))).toBe(failure);
    expect(await failureOf(() => writer.flush())).toBe(failure);
    await nextTurns();
    expect(failures).toEqual([failure]);
    expect(uncaught).toEqual([]);
  });

  test('harms no caller that never checks', async () => {
    const { writer, failures, uncaught } = writing(failing('EPIPE', end));
    for (let write = 0; write < 3; write++) {
      try {
        void writer.write('x'.repeat(100_000));
      } catch {
        // What it threw is not the point.
      }
    }
    await nextTurns();
    expect(failures).toHaveLength(1);
    expect(uncaught).toEqual([]);
  });
});

test('a stream that is gone without an error has no reader', async () => {
  const stream = new Writable({ write: () => undefined });
  const { writer } = writing(stream);
  void writer.write('x');
  const flush = writer.flush();
  stream.destroy();
  expect(await failureOf(() => flush)).toBeInstanceOf(ReaderGone);
  expect(await failureOf(() => writer.flush())).toBeInstanceOf(ReaderGone);
});

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A reader that takes each write when it is told to. */
function slowReader() {
  const writes: string[] = [];
  const waiting: { resolve: () => void; reject: (reason: unknown) => void }[] = [];
  const batch = new TextBatch(
    (text) =>
      new Promise<void>((resolve, reject) => {
        writes.push(text);
        waiting.push({ resolve, reject });
      }),
  );
  return { batch, writes, waiting };
}

/** A reader that keeps up. */
function quickReader() {
  const writes: string[] = [];
  const batch = new TextBatch((text) => {
    writes.push(text);
  });
  return { batch, writes };
}

test('pieces at hand are written together, later ones later', async () => {
  const { batch, writes } = quickReader();
  for (const piece of ['a', 'b', 'c']) batch.add(piece);
  expect(writes).toEqual([]);
  expect(batch.pace()).toBeUndefined();
  await turn();
  expect(writes).toEqual(['abc']);
  batch.add('d');
  await turn();
  expect(writes).toEqual(['abc', 'd']);
});

test('a flush writes at once what is left, and nothing when nothing is', async () => {
  const { batch, writes } = quickReader();
  batch.add('a');
  await batch.flush();
  await batch.flush();
  await turn();
  expect(writes).toEqual(['a']);
});

describe('a slow reader', () => {
  test('pauses its source until it has caught up', async () => {
    const { batch, waiting } = slowReader();
    batch.add('a');
    await turn();
    let paced = false;
    const pace = batch.pace();
    expect(pace).toBeInstanceOf(Promise);
    void Promise.resolve(pace).then(() => (paced = true));
    await turn();
    expect(paced).toBe(false);
    waiting[0]?.resolve();
    await turn();
    expect(paced).toBe(true);
  });
});

describe('a reader that fails', () => {
  const gone = new RangeError('gone');

  test('by rejecting fails the pace and the flush, and is not written to again', async () => {
    const { batch, writes, waiting } = slowReader();
    batch.add('a');
    await turn();
    const pace = batch.pace();
    batch.add('b');
    waiting[0]?.reject(gone);
    // Who waited goes on, and learns of it at the next step.
    await expect(pace).resolves.toBeUndefined();
    expect(() => batch.pace()).toThrow(gone);
    await expect(batch.flush()).rejects.toBe(gone);
    expect(writes).toEqual(['a']);
  });
});
