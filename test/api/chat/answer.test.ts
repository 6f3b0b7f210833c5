import { expect, test } from 'vitest';
import { gather } from '../../../src/api/chat/answer.js';

test('an answer keeps no text that nobody asked for, and all else', () => {
  const { answer, listener } = gather({ keepText: false });
  listener.text('x');
  listener.reasoning('x');
  listener.tool({ index: 0, name: 'now', arguments: '' });
  listener.finish('stop');
  expect(answer).toEqual({
    text: '',
    reasoning: '',
    toolCalls: [{ name: 'now', arguments: '' }],
    finishReason: 'stop',
  });
});

test('later usage overwrites earlier usage, and what is not told takes nothing back', () => {
  const { answer, listener } = gather({ keepText: true });
  listener.usage({ inputTokens: 3, outputTokens: 1, reasoningTokens: 1 });
  listener.usage({ inputTokens: undefined, outputTokens: 5 });
  listener.usage({ outputTokens: 0, totalTokens: 9 });
  expect(answer.usage).toEqual({
    inputTokens: 3,
    outputTokens: 0,
    reasoningTokens: 1,
    totalTokens: 9,
  });
});
