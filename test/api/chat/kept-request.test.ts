import { describe, expect, it } from 'vitest';
import { wireMessages } from '../../../src/api/chat/conversation.js';
import { keptRequest } from '../../../src/api/chat/kept-request.js';

const user = (content: unknown) => ({ role: 'user', content });
const partsOf = (format: 'chat' | 'messages' | 'responses', ...items: unknown[]) => {
  const body = format === 'responses' ? { input: items } : { messages: items };
  return keptRequest(format, body).messages.map(({ role, parts }) => [role, ...parts]);
};
const text = (words: string) => ({ type: 'text', text: words });
const call = { type: 'tool_call', id: 'c', name: 'ls', arguments: '{"a":1.10}' };
const result = { type: 'tool_result', id: 'c', text: 'a.txt' };

describe('the request of a program', () => {
  it.each([
    ['chat', { messages: [{ role: 'developer', content: 'Be brief.' }, user('hi')] }],
    [
      'messages',
      {
        system: [text('x-anthropic-billing-header: cch=1'), text('Be brief.')],
        messages: [user('hi')],
      },
    ],
    ['messages', { system: 'Be brief.', messages: [user([text('hi')])] }],
    ['responses', { instructions: 'Be brief.', input: 'hi' }],
    [
      'responses',
      { input: [{ type: 'message', role: 'system', content: 'Be brief.' }, user('hi')] },
    ],
  ] as const)('in the %s format has its system prompt apart', (format, body) => {
    const { system, messages } = keptRequest(format, body);
    expect(system).toBe('Be brief.');
    expect(messages).toMatchObject([{ role: 'user', parts: [text('hi')] }]);
  });

  it('is read in every format: what was called, and what came of it', () => {
    const fn = { type: 'function', id: 'c', function: { name: 'ls', arguments: '{"a":1.10}' } };
    const thought = { role: 'assistant', content: 'so', reasoning_content: 'hm', tool_calls: [fn] };
    expect(
      partsOf('chat', thought, { role: 'tool', tool_call_id: 'c', content: [text('a.txt')] }),
    ).toEqual([
      ['assistant', { type: 'reasoning', text: 'hm' }, text('so'), call],
      ['tool', result],
    ]);
    const use = { type: 'tool_use', id: 'c', name: 'ls', input: { a: 1 } };
    const failed = { type: 'tool_result', tool_use_id: 'c', content: 'a.txt', is_error: true };
    expect(
      partsOf(
        'messages',
        { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm' }, use] },
        user([failed, text('go on')]),
      ),
    ).toEqual([
      ['assistant', { type: 'reasoning', text: 'hm' }, { ...call, arguments: '{"a":1}' }],
      ['tool', { ...result, isError: true }],
      ['user', text('go on')],
    ]);
    const reasoning = { type: 'reasoning', summary: [{ text: 'hm' }], encrypted_content: 'x' };
    const called = { type: 'function_call', call_id: 'c', name: 'ls', arguments: '{"a":1.10}' };
    const output = { type: 'function_call_output', call_id: 'c', output: 'a.txt' };
    expect(partsOf('responses', reasoning, called, output)).toEqual([
      ['assistant', { type: 'reasoning', text: 'hm' }, call],
      ['tool', result],
    ]);
  });

  it('keeps calls and results that belong together in one message each', () => {
    const calls = ['a', 'b'].map((id) => ({
      type: 'custom_tool_call',
      call_id: id,
      name: 'do',
      input: id,
    }));
    const outputs = ['a', 'b'].map((id) => ({
      type: 'custom_tool_call_output',
      call_id: id,
      output: id,
    }));
    const { messages } = keptRequest('responses', { input: [user('go'), ...calls, ...outputs] });
    expect(messages.map(({ role, parts }) => [role, parts.length])).toEqual([
      ['user', 1],
      ['assistant', 2],
      ['tool', 2],
    ]);
    expect(wireMessages('responses', messages)).toEqual([user('go'), ...calls, ...outputs]);
    expect(wireMessages('chat', messages)).toMatchObject([
      user('go'),
      { tool_calls: [{ id: 'a' }, { id: 'b' }] },
      { tool_call_id: 'a' },
      { tool_call_id: 'b' },
    ]);
  });

  it('comes back unchanged in its own format, but for the marks of its cache', () => {
    const mark = { cache_control: { type: 'ephemeral' } };
    const messages = [
      user([{ ...text('hi'), ...mark }]),
      { role: 'assistant', content: 'ho', extra: [1] },
    ];
    const kept = keptRequest('messages', { messages }).messages;
    expect(wireMessages('messages', kept)).toEqual([user([text('hi')]), messages[1]]);
  });

  it.each([
    [[{ type: 'input_audio', input_audio: { data: 'x' } }], [text('[input_audio]')]],
    [
      [{ type: 'image_url', image_url: { url: 'https://x.test/a.png' } }],
      [{ type: 'image', url: 'https://x.test/a.png' }],
    ],
    [
      [{ type: 'input_image', file_id: 'f' }, null, 7],
      [text('[input_image]'), text('[]'), text('[]')],
    ],
    [null, []],
  ])('names what it does not understand: %j', (content, parts) => {
    expect(partsOf('chat', user(content))).toEqual([['user', ...parts]]);
  });

  it.each([{}, { messages: 7 }, { input: {}, messages: null }, { messages: [null, 'hi', []] }])(
    'is read without failing, whatever it is: %j',
    (body) => {
      for (const format of ['chat', 'messages', 'responses'] as const) {
        expect(keptRequest(format, body).system).toBeUndefined();
      }
    },
  );
});
