import { expect, test } from 'vitest';
import { gather } from '../../../src/api/chat/answer.js';

test('an answer gathers what it is told', () => {
  const { answer, listener } = gather({ keepText: true });
  listener.about({ id: 'gen_1', model: 'maker/model' });
  listener.reasoning('H');
  listener.reasoning('m');
  listener.text('Ye');
  listener.text('s');
  listener.tool({ index: 3, id: 'b', name: 'time', arguments: '{' });
  listener.tool({ index: 0, id: 'a', name: 'weather', arguments: '' });
  listener.tool({ index: 3, id: 'b', name: 'time', arguments: '}' });
  listener.tool({ index: 0, id: '', name: '', arguments: '{}' });
  listener.usage({ inputTokens: 3, outputTokens: 1 });
  listener.finish('length');
  expect(answer).toEqual({
    id: 'gen_1',
    model: 'maker/model',
    text: 'Yes',
    reasoning: 'Hm',
    toolCalls: [
      { id: 'b', name: 'time', arguments: '{}' },
      { id: 'a', name: 'weather', arguments: '{}' },
    ],
    usage: { inputTokens: 3, outputTokens: 1 },
    finishReason: 'length',
  });
});

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

test('an id or a model that is told empty, or not at all, takes nothing back', () => {
  const { answer, listener } = gather({ keepText: true });
  listener.about({ id: 'gen_1', model: 'maker/model' });
  listener.about({});
  listener.about({ id: '', model: '' });
  expect(answer).toMatchObject({ id: 'gen_1', model: 'maker/model' });
});
