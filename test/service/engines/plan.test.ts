import { expect, it } from 'vitest';
import { planAnswer, cutAt, pieces } from '../../../src/service/engines/plan.js';
import { type AnswerDraft, type Prompt } from '../../../src/service/engines/engine.js';
import { promptOf } from './prompt.js';
import { countCharacters } from '../../../src/lib/text-pieces.js';
import { seeded } from '../../helpers/random.js';

function plan(draft: Partial<AnswerDraft> & { text?: string }, more: Partial<Prompt> = {}) {
  const { text, ...rest } = draft;
  const blocks = text === undefined ? [] : [{ type: 'text' as const, text }];
  return planAnswer(
    promptOf('12345678', more),
    { reasoning: '', blocks, pace: {}, ...rest },
    () => 'id',
  );
}

it('planAnswer counts four characters as a token, on both sides', () => {
  expect(plan({ text: '123456789', reasoning: '12345' }).usage).toEqual({
    inputTokens: 2,
    outputTokens: 4,
    reasoningTokens: 2,
  });
});

it('planAnswer cuts an answer at its length and says so', () => {
  const cut = plan({ text: 'abcdefghi' }, { maxTokens: 2 });
  expect(cut.items).toEqual([{ type: 'text', text: 'abcdefgh' }]);
  expect(cut.finish).toBe('length');
  expect(cut.usage.outputTokens).toBe(2);
  expect(plan({ text: 'abcdefgh' }, { maxTokens: 2 }).finish).toBe('stop');
});

it('planAnswer lets reasoning use up the length first', () => {
  const cut = plan({ reasoning: 'thinking', text: 'abcdefgh' }, { maxTokens: 3 });
  expect(cut).toMatchObject({
    items: [{ text: 'thinking' }, { text: 'abcd' }],
    finish: 'length',
  });
  const all = plan({ reasoning: 'thinking hard', text: 'x' }, { maxTokens: 2 });
  expect(all).toMatchObject({ items: [{ text: 'thinking' }, { text: '' }], finish: 'length' });
});

it('planAnswer keeps reasoning within its own budget without calling the answer cut', () => {
  const short = plan(
    { reasoning: 'thinking hard', text: 'answer' },
    { reasoning: { mode: 'on', budgetTokens: 2 } },
  );
  expect(short).toMatchObject({
    items: [{ text: 'thinking' }, { text: 'answer' }],
    finish: 'stop',
  });
});

it('planAnswer leaves out a tool call that does not fit whole, and what follows', () => {
  const calls = [
    { type: 'toolCall' as const, name: 'ab', json: '{}' },
    { type: 'toolCall' as const, name: 'cd', json: '{"x":1}' },
  ];
  const cut = plan({ blocks: calls }, { maxTokens: 2 });
  expect(cut.items).toEqual([{ type: 'toolCall', id: 'id', name: 'ab', json: '{}' }]);
  expect(cut.finish).toBe('length');
  expect(plan({ blocks: calls }).finish).toBe('toolCalls');
});

it('planAnswer ends before the stop sequence that comes first', () => {
  const stopped = plan({ text: 'one two three' }, { stop: ['three', 'two', '', 'four'] });
  expect(stopped).toMatchObject({
    items: [{ text: 'one ' }],
    finish: 'stopSequence',
    stopSequence: 'two',
  });
});

it('planAnswer does not name a stop sequence that lies beyond the length', () => {
  const cut = plan({ text: 'abcdefgh STOP' }, { stop: ['STOP'], maxTokens: 1 });
  expect(cut).toMatchObject({ items: [{ text: 'abcd' }], finish: 'length', stopSequence: null });
});

const family = '👨‍👩‍👧‍👦';
const marked = 'a' + '\u0301'.repeat(1000);
const awkward = [
  ...['', ' ', 'a\0b', 'héllo 🌍', `${family} ${family}`, '🇷🇺🇩🇪🇫🇷'.repeat(100), family.repeat(200)],
  ...['\ud83c\udf0d'.repeat(500), ' '.repeat(1000) + 'x', '\r\n'.repeat(500), 'x'.repeat(1000)],
  ...['lone \ud83c half', '\udf0d first', 'e \u0301 mark on a space', '\u200d joiner first'],
  'नमस्ते दुनिया'.repeat(60),
];
/** Graphemes longer than a piece. */
const endless = [marked, marked + family, 'a' + '\u200d🌍\u0301'.repeat(300)];

it.each([...awkward, ...endless])('pieces joined are the text again: %j', (text) => {
  const words = [...pieces(text)];
  expect(words.join('')).toBe(text);
  expect(words.every(({ length }) => length > 0 && length <= 257)).toBe(true);
  for (const size of [1, 2, 7]) expect([...pieces(text, size)].join('')).toBe(text);
});

it('pieces split no grapheme, and no surrogate pair of one that is longer than a piece', () => {
  for (const text of awkward) {
    const starts = [...new Intl.Segmenter('en').segment(text)].map(({ index }) => index);
    let at = 0;
    for (const piece of pieces(text)) {
      expect(starts, JSON.stringify(text.slice(0, 40))).toContain(at);
      at += piece.length;
    }
  }
  const isCut = /^[\udc00-\udfff]|[\ud800-\udbff]$/;
  for (const text of endless) {
    expect([...pieces(text)].filter((piece) => isCut.test(piece))).toEqual([]);
  }
});

it('cutAt gives a start of the text within the limit, whatever the text', () => {
  const random = seeded(7);
  const letters = ['a', ' ', '🌍', '\u0301', '\u200d', '\r', '\n', '\ud83c', 'ж', family] as const;
  for (let round = 0; round < 2000; round += 1) {
    const text = Array.from({ length: random.below(300) }, () => random.pick(letters)).join('');
    const max = random.below(200);
    const start = cutAt(text, max);
    expect(text.startsWith(start)).toBe(true);
    expect(countCharacters(start)).toBeLessThanOrEqual(max);
    // A pair is never split, not even by the limit.
    const rest = text.slice(start.length);
    if (rest !== '')
      expect(/^[\udc00-\udfff]/.test(rest) && /[\ud800-\udbff]$/.test(start)).toBe(false);
  }
});
