import { describe, expect, test } from 'vitest';
import { readAnswer } from '../../../src/api/chat/read.js';
import { Incomplete } from '../../../src/errors.js';
import { type HttpResponse } from '../../../src/http/types.js';
import { bare, chunk, done, failureOf, type Frame, readFrames, readText, wire } from './streams.js';

const hello = wire([chunk({ content: 'hello' })]);
const whole = hello + wire([chunk({}, 'stop'), done]);

describe('a failure in the words of the service', () => {
  test('becomes one line of readable length', async () => {
    const message = `bad\r\nhint: run \u001b[2Jthis\u202e${'!'.repeat(5000)}`;
    const error = JSON.stringify({ error: { message } });
    const failure = failureOf(await readText('chat', `${hello}data: ${error}\n\n`));
    expect(failure.message).toMatch(/^the answer is incomplete: bad hint: run \[2Jthis !+…$/);
    expect(failure.message.length).toBeLessThan(600);
  });

  test.each(['""', '"  "', 'null', '{}'])('may be missing: %s', async (message) => {
    const failure = failureOf(await readText('chat', `data: {"error":{"message":${message}}}\n\n`));
    expect(failure.message).toMatch(/: the service reported an error without a message$/);
  });
});

test('a JSON body that is too large is refused before it fills the memory', async () => {
  const mebibyte = Buffer.alloc(1024 * 1024, ' ');
  let piped = 0;
  const response: HttpResponse = {
    status: 200,
    headers: {},
    pipe: async (sink) => {
      await sink(Buffer.from('{'));
      for (; piped < 200; piped++) await sink(mebibyte);
    },
    discard: () => undefined,
  };
  const reading = readAnswer(response, 'chat', () => undefined);
  await expect(reading).rejects.toThrow(Incomplete);
  await expect(reading).rejects.toThrow('larger than 6 MiB');
  expect(piped).toBeLessThanOrEqual(6);
});

describe('a slow reader', () => {
  /** Pieces of a stream, and what was piped when. */
  function slowly(pace: () => void | Promise<void>) {
    const log: string[] = [];
    const response: HttpResponse = {
      status: 200,
      headers: {},
      pipe: async (sink) => {
        for (const piece of [hello, hello, whole]) {
          log.push('piece');
          await sink(Buffer.from(piece));
        }
      },
      discard: () => log.push('discard'),
    };
    const reading = readAnswer(
      response,
      'chat',
      () => undefined,
      () => {
        log.push('pace');
        return pace();
      },
    );
    return { log, reading };
  }

  test('holds the body back', async () => {
    let catchUp = (): void => undefined;
    const { log, reading } = slowly(() => new Promise((resolve) => (catchUp = resolve)));
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    expect(log).toEqual(['piece', 'pace']);
    catchUp();
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    expect(log).toEqual(['piece', 'pace', 'piece', 'pace']);
    catchUp();
    await reading;
    expect(log.at(-1)).toBe('discard');
  });

  const fails = () => {
    throw new RangeError('gone');
  };
  test.each([
    ['throws', fails],
    ['rejects', () => Promise.reject(new RangeError('gone'))],
  ])('that fails ends reading with its own error: it %s', async (_, pace) => {
    const { log, reading } = slowly(pace);
    await expect(reading).rejects.toThrow(RangeError);
    expect(log).toEqual(['piece', 'pace', 'discard']);
  });
});

const mebibyte = 'x'.repeat(1024 * 1024);
const most = 'it is too large: svc keeps 2 MiB of text or 1 MiB of tool calls';

const call = (_: unknown, index: number) =>
  chunk({ tool_calls: [{ index, id: `c${index}`, function: { name: 'f' } }] });

describe('an answer without end', () => {
  test('keeps as much of an endless text as fits', async () => {
    const outcome = await readFrames('chat', Array<Frame>(5).fill(chunk({ content: mebibyte })));
    expect(failureOf(outcome)).toMatchObject({
      code: 'answer_too_large',
      message: `the answer is incomplete: ${most}`,
      hint: expect.stringContaining('the text so far is kept'),
    });
    expect(outcome.answer.text.length).toBe(2 * 1024 * 1024);
    expect(outcome.discarded).toBe(true);
  });

  test('keeps as much of endless tool calls as fits', async () => {
    const outcome = await readFrames('chat', Array.from({ length: 10_000 }, call));
    expect(failureOf(outcome).code).toBe('answer_too_large');
    expect(outcome.answer.toolCalls.length).toBeGreaterThan(5000);
    expect(outcome.answer.toolCalls.length).toBeLessThan(8200);
  });

  test('rejects an event or a reply with more values, or nested without end', async () => {
    const flood = `{"a":[${'{},'.repeat(300_000)}0]}`;
    const outcome = await readFrames('chat', [chunk({ content: 'kept' }), bare(flood)]);
    expect(failureOf(outcome)).toMatchObject({ code: 'too_many_values' });
    expect(outcome.answer.text).toBe('kept');
    for (const json of [flood, `{"a":${'['.repeat(50_000)}`]) {
      expect(failureOf(await readText('chat', json)).code).toBe('too_many_values');
    }
  });
});

test('counts endless arguments even where the service names no call', async () => {
  const call = { name: 'f', arguments: `"${'}'.repeat(98)}"` };
  const piece = chunk({ tool_calls: [{ function: call }] });
  const outcome = await readFrames('chat', Array<Frame>(12_000).fill(piece));
  expect(failureOf(outcome).code).toBe('answer_too_large');
  expect(outcome.answer.toolCalls).toHaveLength(1);
});
