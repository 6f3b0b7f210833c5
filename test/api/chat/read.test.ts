import { describe, expect, test } from 'vitest';
import { cutAnywhere, cutToBytes, seeded } from '../../helpers/random.js';
import { expected, samples } from './samples.js';
import {
  bare,
  failureOf,
  readFrames,
  readPieces,
  readText,
  wire,
  type Frame,
  type Outcome,
} from './streams.js';

describe.each(samples)('the $format format', ({ format, frames, ending, finishReason, reply }) => {
  const whole = { ...expected, finishReason };
  const begun = frames.slice(0, -ending);
  /** What came of a reading, which must be the whole answer. */
  const wholeOf = async (reading: Promise<Outcome>) => {
    const { error, ...outcome } = await reading;
    expect(error).toBeUndefined();
    expect(outcome.answer).toMatchObject(whole);
    return outcome;
  };

  test('reads the answer of a stream', async () => {
    const { answer } = await wholeOf(readFrames(format, frames));
    expect(answer.usage).toMatchObject({ inputTokens: 3, outputTokens: 5 });
  });

  test('reads it the same, cut anywhere', async () => {
    const body = Buffer.from(wire(frames));
    const cuts = [cutToBytes(body)];
    for (let seed = 1; seed <= 25; seed++) cuts.push(cutAnywhere(body, seeded(seed), 1 + seed * 3));
    for (const pieces of cuts) await wholeOf(readPieces(format, pieces));
  });

  test('stops at the terminator when the service keeps the connection open, with any line ending', async () => {
    for (const eol of ['\n', '\r\n', '\r']) {
      const body = Buffer.from(wire(frames, { eol }));
      for (const pieces of [[body], cutToBytes(body)]) {
        const { discarded } = await wholeOf(readPieces(format, pieces, 'open'));
        expect(discarded).toBe(true);
      }
    }
  });

  test('uses the type in the data when events have no names, or wrong ones', async () => {
    for (const name of [undefined, 'message', 'ping', 'message_stop', 'response.failed']) {
      const renamed = frames.map(({ data }) => ({ name, data }));
      await wholeOf(readFrames(format, renamed));
    }
  });

  test('ignores whatever follows the terminator', async () => {
    const junk = ['[DONE]', 'junk', '{"error":{"message":"late"}}', '{'];
    const after = [...frames, ...junk.map((data) => bare(data)), ...begun];
    for (const pieces of [[Buffer.from(wire(after))], cutToBytes(Buffer.from(wire(after)))]) {
      await wholeOf(readPieces(format, pieces));
    }
  });

  test.each(['', ' \n\n', '\ufeff', '\n'.repeat(500)])(
    'reads the answer of a JSON body sent in place of a stream, after %j',
    async (before) => {
      const body = Buffer.from(before + JSON.stringify(reply, undefined, 2));
      for (const pieces of [[body], cutToBytes(body), cutAnywhere(body, seeded(1), 90)]) {
        const { answer } = await wholeOf(readPieces(format, pieces));
        expect(answer.usage).toMatchObject({ inputTokens: 3, outputTokens: 5 });
      }
    },
  );

  describe('is incomplete, with everything before it reported,', () => {
    const failures: [string, readonly Frame[], string, ('clean' | 'reset')?][] = [
      ['at an error event', [{ name: 'error', data: '{"message":"overloaded"}' }], 'overloaded'],
      ['at an error object', [bare({ error: { message: 'overloaded' } })], 'overloaded'],
      ['at a text in place of an event', [bare('"overloaded"')], 'overloaded'],
      ['at an error event that is no JSON', [{ name: 'error', data: 'overloaded' }], 'overloaded'],
      ['at truncated JSON', [bare('{"choices":[')], 'not JSON'],
      ['at data that is no JSON', [bare('hello')], 'not JSON'],
      ['when the body ends', [], 'before the answer was finished'],
      ['when the line drops', [], 'connection was lost', 'reset'],
    ];
    test.each(failures)('%s', async (_, frame, message, end) => {
      // What follows a failure is not part of the answer, not even the terminator.
      const after = end === 'reset' || frame.length === 0 ? [] : frames;
      const outcome = await readFrames(format, [...begun, ...frame, ...after], end);
      const failure = failureOf(outcome);
      expect(failure.message).toMatch(new RegExp(`^the answer is incomplete: .*${message}`));
      expect(failure.hint).toContain('svc usage list');
      expect(outcome.answer).toMatchObject(expected);
      expect(outcome.answer.finishReason).toBeUndefined();
    });
  });

  test.each(['', '\n', ': ping\n\n', '\ufeff', 'event: ping\n\n', 'data:\n\n'])(
    'a body of %j is incomplete: it has no event',
    async (body) => {
      expect(failureOf(await readText(format, body)).message).toContain('without any event');
    },
  );

  test.each([
    ['an error object', '{"error":{"message":"no such model","code":404}}', 'no such model'],
    [
      'a refusal of the service',
      '{"ok":false,"code":"x","message":"no such model"}',
      'no such model',
    ],
    ['JSON that holds no answer', '{"detail":"hello"}', 'no answer'],
  ])('a JSON body with %s is incomplete', async (_, body, message) => {
    const outcome = await readText(format, body);
    expect(failureOf(outcome).message).toContain(message);
    expect(outcome.discarded).toBe(true);
  });
});
