import { describe, expect, test } from 'vitest';
import { gather } from '../../../src/api/chat/answer.js';
import { readAnswer } from '../../../src/api/chat/read.js';
import { Incomplete } from '../../../src/errors.js';
import { BodyCut, type HttpResponse } from '../../../src/http/types.js';
import { chunk, done, failureOf, readText, wire } from './streams.js';

const hello = wire([chunk({ content: 'hello' })]);
const whole = hello + wire([chunk({}, 'stop'), done]);

describe('a failure in the words of the service', () => {
  test('becomes one line of a length that can be read', async () => {
    const message = `bad\r\nhint: run \u001b[2Jthis\u202e${'!'.repeat(5000)}`;
    const error = JSON.stringify({ error: { message } });
    const failure = failureOf(await readText('chat', `${hello}data: ${error}\n\n`));
    expect(failure.message).toMatch(/^the answer is incomplete: bad hint: run \[2Jthis !+…$/);
    expect(failure.message.length).toBeLessThan(600);
  });

  test.each(['""', '"  "', 'null', '{}'])('may be missing: %s', async (message) => {
    const failure = failureOf(await readText('chat', `data: {"error":{"message":${message}}}\n\n`));
    expect(failure.message).toMatch(/: the service reported an error without words$/);
  });
});

test('a JSON body that is too large is refused before it fills the memory', async () => {
  const mebibyte = Buffer.alloc(1024 * 1024, ' ');
  let poured = 0;
  const response: HttpResponse = {
    status: 200,
    headers: {},
    pour: async (sink) => {
      await sink(Buffer.from('{'));
      for (; poured < 200; poured++) await sink(mebibyte);
    },
    discard: () => undefined,
  };
  const reading = readAnswer(response, 'chat', gather({ keepText: true }).listener);
  await expect(reading).rejects.toThrow(Incomplete);
  await expect(reading).rejects.toThrow('larger than 6 MiB');
  expect(poured).toBeLessThanOrEqual(6);
});

test.each([
  ['reset', 'stream_reset'],
  ['truncated', 'stream_truncated'],
  ['idle-timeout', 'stream_idle_timeout'],
] as const)('a body cut by %s says so as %s', async (reason, code) => {
  const response: HttpResponse = {
    status: 200,
    headers: {},
    pour: () => Promise.reject(new BodyCut(reason, 'cut')),
    discard: () => undefined,
  };
  const reading = readAnswer(response, 'chat', gather({ keepText: true }).listener);
  await expect(reading).rejects.toThrow(Incomplete);
  await expect(reading).rejects.toMatchObject({ code });
});

describe('a slow reader', () => {
  /** Pieces of a stream, and what was poured when. */
  function slowly(pace: () => void | Promise<void>) {
    const log: string[] = [];
    const response: HttpResponse = {
      status: 200,
      headers: {},
      pour: async (sink) => {
        for (const piece of [hello, hello, whole]) {
          log.push('piece');
          await sink(Buffer.from(piece));
        }
      },
      discard: () => log.push('discard'),
    };
    const { listener } = gather({ keepText: true });
    const reading = readAnswer(response, 'chat', listener, () => {
      log.push('pace');
      return pace();
    });
    return { log, reading };
  }

  test('holds the body back', async () => {
    let catchUp = (): void => undefined;
    const { log, reading } = slowly(
      () =>
        new Promise((resolve) => {
          catchUp = resolve;
        }),
    );
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    expect(log).toEqual(['piece', 'pace']);
    catchUp();
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    expect(log).toEqual(['piece', 'pace', 'piece', 'pace']);
    catchUp();
    await reading;
    expect(log.at(-1)).toBe('discard');
  });

  test.each([
    [
      'throws',
      () => {
        throw new RangeError('gone');
      },
    ],
    ['rejects', () => Promise.reject(new RangeError('gone'))],
  ])('that fails ends the reading with its own failure: it %s', async (_, pace) => {
    const { log, reading } = slowly(pace);
    await expect(reading).rejects.toThrow(RangeError);
    expect(log).toEqual(['piece', 'pace', 'discard']);
  });
});
