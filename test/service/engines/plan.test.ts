import { describe, expect, it } from 'vitest';
import { eventsOf, planAnswer } from '../../../src/service/engines/plan.js';
import type { Draft, Prompt } from '../../../src/service/engines/engine.js';
import { promptOf } from './prompt.js';

function plan(draft: Partial<Draft> & { text?: string }, more: Partial<Prompt> = {}) {
  const { text, ...rest } = draft;
  const blocks = text === undefined ? [] : [{ type: 'text' as const, text }];
  return planAnswer(
    promptOf('12345678', more),
    { reasoning: '', blocks, pace: {}, ...rest },
    () => 'id',
  );
}

describe('planAnswer', () => {
  it('counts four characters as a token, on both sides', () => {
    expect(plan({ text: '123456789', reasoning: '12345' }).usage).toEqual({
      inputTokens: 2,
      outputTokens: 4,
      reasoningTokens: 2,
    });
  });

  it('counts at least one token for a question', () => {
    expect(
      planAnswer(promptOf(''), { reasoning: '', blocks: [], pace: {} }, () => '').usage.inputTokens,
    ).toBe(1);
  });

  it('cuts an answer at its length and says so', () => {
    const cut = plan({ text: 'abcdefghi' }, { maxTokens: 2 });
    expect(cut.items).toEqual([{ type: 'text', text: 'abcdefgh' }]);
    expect(cut.finish).toBe('length');
    expect(cut.usage.outputTokens).toBe(2);
  });

  it('does not cut an answer of exactly that length', () => {
    expect(plan({ text: 'abcdefgh' }, { maxTokens: 2 }).finish).toBe('stop');
  });

  it('lets reasoning use up the length first', () => {
    const cut = plan({ reasoning: 'thinking', text: 'abcdefgh' }, { maxTokens: 3 });
    expect(cut).toMatchObject({
      items: [{ text: 'thinking' }, { text: 'abcd' }],
      finish: 'length',
    });
    const all = plan({ reasoning: 'thinking hard', text: 'x' }, { maxTokens: 2 });
    expect(all).toMatchObject({ items: [{ text: 'thinking' }, { text: '' }], finish: 'length' });
  });

  it('keeps reasoning within its own budget without calling the answer cut', () => {
    const short = plan(
      { reasoning: 'thinking hard', text: 'answer' },
      { reasoning: { mode: 'on', budgetTokens: 2 } },
    );
    expect(short).toMatchObject({
      items: [{ text: 'thinking' }, { text: 'answer' }],
      finish: 'stop',
    });
  });

  it('leaves out a tool call that does not fit whole, and what follows', () => {
    const calls = [
      { type: 'toolCall' as const, name: 'ab', json: '{}' },
      { type: 'toolCall' as const, name: 'cd', json: '{"x":1}' },
    ];
    const cut = plan({ blocks: calls }, { maxTokens: 2 });
    expect(cut.items).toEqual([{ type: 'toolCall', id: 'id', name: 'ab', json: '{}' }]);
    expect(cut.finish).toBe('length');
    expect(plan({ blocks: calls }).finish).toBe('toolCalls');
  });

  it('ends before the stop sequence that comes first', () => {
    const stopped = plan({ text: 'one two three' }, { stop: ['three', 'two', '', 'four'] });
    expect(stopped).toMatchObject({
      items: [{ text: 'one ' }],
      finish: 'stopSequence',
      stopSequence: 'two',
    });
  });

  it('does not name a stop sequence that lies beyond the length', () => {
    const cut = plan({ text: 'abcdefgh STOP' }, { stop: ['STOP'], maxTokens: 1 });
    expect(cut).toMatchObject({ items: [{ text: 'abcd' }], finish: 'length', stopSequence: null });
  });

  it('never goes beyond the length, whatever is in it', () => {
    for (let maxTokens = 1; maxTokens < 30; maxTokens += 1) {
      const text = '👨‍👩‍👧‍👦 añb\r\n'.repeat(9);
      const { usage } = plan({ text, reasoning: text.slice(0, 30) }, { maxTokens });
      expect(usage.outputTokens).toBeLessThanOrEqual(maxTokens);
    }
  });
});

describe('eventsOf', () => {
  it('pauses between pieces, but not before the first', () => {
    const events = [...eventsOf(plan({ text: 'a b c', pace: { chunkDelayMs: 5 } }))];
    expect(events.map(({ type }) => type)).toEqual([
      'open',
      'delta',
      'pause',
      'delta',
      'pause',
      'delta',
      'close',
      'finish',
    ]);
  });

  it('cuts or fails in place of the end', () => {
    const cut = [...eventsOf(plan({ text: 'a', pace: { cut: 'end' } }))];
    expect(cut.map(({ type }) => type)).toEqual(['open', 'delta', 'cut']);
  });
});
