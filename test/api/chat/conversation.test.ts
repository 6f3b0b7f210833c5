import { expect, it } from 'vitest';
import { wireMessages, type KeptMessage } from '../../../src/api/chat/conversation.js';

it('a call without a result gets one, even if a service gave an earlier call the same id', () => {
  const call = { type: 'tool_call', id: 'call_0', name: 'now', arguments: '{}' } as const;
  const result = { type: 'tool_result', id: 'call_0', text: 'noon' } as const;
  const kept: KeptMessage[] = [
    { role: 'assistant', parts: [call] },
    { role: 'tool', parts: [result] },
    { role: 'assistant', parts: [call] },
    { role: 'user', parts: [{ type: 'text', text: 'never mind' }] },
  ];
  const asked = { role: 'assistant', content: null, tool_calls: [expect.anything()] };
  const answered = (content: string) => ({ role: 'tool', tool_call_id: 'call_0', content });
  expect(wireMessages('chat', kept)).toEqual([
    asked,
    answered('noon'),
    asked,
    answered('The tool was not run.'),
    { role: 'user', content: 'never mind' },
  ]);
});
