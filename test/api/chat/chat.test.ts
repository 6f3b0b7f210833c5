import { describe, expect, test } from 'vitest';
import { Incomplete } from '../../../src/errors.js';
import { bare, chunk, done, readFrames, readText, wire, type Frame } from './streams.js';

const end = [chunk({}, 'stop'), done];
const read = (...frames: Frame[]) => readFrames('chat', [...frames, ...end]);

/** The answer's text, if nothing went wrong. */
async function textOf(...frames: Frame[]): Promise<string> {
  const { answer, error } = await read(...frames);
  expect(error).toBeUndefined();
  return answer.text;
}

describe('text', () => {
  test.each([
    ['no choices', bare({ choices: [] })],
    ['a choice without a delta', bare({ choices: [{ index: 0, finish_reason: null }] })],
    ['null as content', chunk({ content: null })],
    ['content that is no text', chunk({ content: 7 })],
  ])('goes on after a chunk with %s', async (_, odd) => {
    expect(await textOf(odd, chunk({ content: 'a' }), odd, chunk({ content: 'b' }), odd)).toBe(
      'ab',
    );
  });

  test('may come as blocks', async () => {
    const content = [{ type: 'text', text: 'a' }, { type: 'other' }, { type: 'text', text: 'b' }];
    expect(await textOf(chunk({ content }))).toBe('ab');
  });

  test.each<[string, string[], string[]]>([
    ['halves are joined', ['a\ud83c', '\udf0db'], ['text:a', 'text:🌍b']],
    ['a half waits through empty pieces', ['\ud83c', '', '\udf0d'], ['text:🌍']],
    ['a half without its other goes on', ['\ud83c', 'a'], ['text:\ud83ca']],
    ['a half is left at the end', ['a\ud83c'], ['text:a', 'text:\ud83c']],
  ])('comes in whole characters: %s', async (_, pieces, texts) => {
    const { log } = await read(...pieces.map((content) => chunk({ content })));
    expect(log.filter((line) => line !== 'finish:stop')).toEqual(texts);
  });

  test('is that of the first choice alone', async () => {
    const other = (content: string) => ({ index: 1, delta: { content }, finish_reason: null });
    const both = (content: string) =>
      bare({ choices: [other('no'), { index: 0, delta: { content } }] });
    expect(await textOf(both('a'), bare({ choices: [other('no')] }), both('b'))).toBe('ab');
  });
});

test.each(['reasoning_content', 'reasoning'])('reasoning may be named %s', async (field) => {
  const { answer, log } = await read(
    chunk({ [field]: 'Hm, ' }),
    chunk({ [field]: 'so.', content: '' }),
    chunk({ [field]: null, content: 'Yes' }),
    chunk({ content: '!' }),
  );
  expect(answer).toMatchObject({ reasoning: 'Hm, so.', text: 'Yes!' });
  expect(log.slice(0, 4)).toEqual(['reasoning:Hm, ', 'reasoning:so.', 'text:Yes', 'text:!']);
});

describe('the end', () => {
  test('needs no reason to finish when [DONE] has come', async () => {
    const { answer, error } = await readFrames('chat', [chunk({ content: 'a' }), done]);
    expect(error).toBeUndefined();
    expect(answer.text).toBe('a');
  });

  test.each(['data:[DONE]\n\n', 'data: [DONE] \n\n', 'event: done\ndata: [DONE]\n\n'])(
    'may be reported as %j',
    async (terminator) => {
      const { error } = await readText(
        'chat',
        wire([chunk({ content: 'a' })]) + terminator,
        'open',
      );
      expect(error).toBeUndefined();
    },
  );

  test('is missing when the service reports an error in a choice it never finished', async () => {
    const { error } = await readFrames('chat', [
      chunk({ content: 'a' }),
      bare({ error: { code: 502, message: 'upstream failed' }, choices: [{ delta: {} }] }),
      done,
    ]);
    expect(error).toBeInstanceOf(Incomplete);
    expect(error).toMatchObject({ code: '502' });
  });

  test.each([null, false, ''])('is no failure for an error of %j', async (none) => {
    expect(await textOf(chunk({ content: 'a' }, null, { error: none }))).toBe('a');
  });
});

describe('usage', () => {
  const counts = { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 };

  test.each([
    ['with text', [chunk({ content: 'a' }, null, { usage: counts })]],
    ['with the reason to finish', [chunk({ content: 'a' }), chunk({}, 'stop', { usage: counts })]],
    ['with no choices', [chunk({ content: 'a' }), bare({ choices: [], usage: counts })]],
  ])('may come %s', async (_, frames) => {
    const { answer } = await read(...frames);
    expect(answer).toMatchObject({
      text: 'a',
      usage: { inputTokens: 3, outputTokens: 5, totalTokens: 8 },
    });
  });

  test('may come on every chunk: the last counts, and null clears nothing', async () => {
    const grown = (completion_tokens: number) => ({ usage: { ...counts, completion_tokens } });
    const { answer } = await read(
      chunk({ content: 'a' }, null, grown(1)),
      chunk({ content: 'a' }, null, grown(2)),
      chunk({ content: 'a' }, null, { usage: null }),
      chunk({ content: 'a' }, null, grown(4)),
    );
    expect(answer).toMatchObject({ text: 'aaaa', usage: { inputTokens: 3, outputTokens: 4 } });
  });
});
