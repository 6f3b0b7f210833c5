import { expect, test } from 'vitest';
import { bare, chunk, done, failureOf, goesOnAfter, readFrames, reads } from './streams.js';
import { readText, wire, type Frame } from './streams.js';

const text = (content: unknown) => chunk({ content });
const whole = (...frames: Frame[]) => [...frames, chunk({}, 'stop'), done];
const other = (content: string) => ({ index: 1, delta: { content }, finish_reason: null });
const both = (content: string) =>
  bare({ choices: [other('no'), { index: 0, delta: { content } }] });
const blocks = [{ type: 'text', text: 'a' }, { type: 'other' }, { type: 'text', text: 'b' }];
const counts = { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 };
const counted = { text: 'a', usage: { inputTokens: 3, outputTokens: 5, totalTokens: 8 } };
const grown = (completion_tokens: number) =>
  chunk({ content: 'a' }, null, { usage: { ...counts, completion_tokens } });

const odds = {
  'a chunk with no choices': bare({ choices: [] }),
  'a choice without a delta': bare({ choices: [{ index: 0, finish_reason: null }] }),
  'null as content': text(null),
  'content that is no text': text(7),
};

reads('chat', {
  ...goesOnAfter(odds, text, whole),
  'text may come as blocks': [whole(text(blocks)), { text: 'ab' }],
  'text is that of the first choice alone': [
    whole(both('a'), bare({ choices: [other('no')] }), both('b')),
    { text: 'ab' },
  ],
  'the end needs no reason to finish when [DONE] has come': [[text('a'), done], { text: 'a' }],
  'usage may come with text': [whole(chunk({ content: 'a' }, null, { usage: counts })), counted],
  'usage may come with the reason to finish': [
    whole(text('a'), chunk({}, 'stop', { usage: counts })),
    counted,
  ],
  'usage may come with no choices': [
    whole(text('a'), bare({ choices: [], usage: counts })),
    counted,
  ],
  'usage may come on every chunk: the last counts, and null clears nothing': [
    whole(grown(1), grown(2), chunk({ content: 'a' }, null, { usage: null }), grown(4)),
    { text: 'aaaa', usage: { inputTokens: 3, outputTokens: 4 } },
  ],
});

test.each<[string, string[], string[]]>([
  ['halves are joined', ['a\ud83c', '\udf0db'], ['text:a', 'text:🌍b']],
  ['a half waits through empty pieces', ['\ud83c', '', '\udf0d'], ['text:🌍']],
  ['a half without its other goes on', ['\ud83c', 'a'], ['text:\ud83ca']],
  ['a half is left at the end', ['a\ud83c'], ['text:a', 'text:\ud83c']],
])('text comes in whole characters: %s', async (_, pieces, texts) => {
  const { log } = await readFrames('chat', whole(...pieces.map(text)));
  expect(log.filter((line) => line !== 'finish:stop')).toEqual(texts);
});

test.each(['reasoning_content', 'reasoning'])('reasoning may be named %s', async (field) => {
  const frames = whole(
    chunk({ [field]: 'Hm, ' }),
    chunk({ [field]: 'so.', content: '' }),
    chunk({ [field]: null, content: 'Yes' }),
    text('!'),
  );
  const { answer, log } = await readFrames('chat', frames);
  expect(answer).toMatchObject({ reasoning: 'Hm, so.', text: 'Yes!' });
  expect(log.slice(0, 4)).toEqual(['reasoning:Hm, ', 'reasoning:so.', 'text:Yes', 'text:!']);
});

test.each(['data:[DONE]\n\n', 'data: [DONE] \n\n', 'event: done\ndata: [DONE]\n\n'])(
  'the end may be reported as %j',
  async (terminator) => {
    const { error } = await readText('chat', wire([text('a')]) + terminator, 'open');
    expect(error).toBeUndefined();
  },
);

test('the end is missing when the service reports an error in a choice it never finished', async () => {
  const error = { code: 502, message: 'upstream failed' };
  const frames = [text('a'), bare({ error, choices: [{ delta: {} }] }), done];
  expect(failureOf(await readFrames('chat', frames))).toMatchObject({ code: '502' });
});

test.each([null, false, ''])('the end is no failure for an error of %j', async (none) => {
  const { answer, error } = await readFrames(
    'chat',
    whole(chunk({ content: 'a' }, null, { error: none })),
  );
  expect([answer.text, error]).toEqual(['a', undefined]);
});
