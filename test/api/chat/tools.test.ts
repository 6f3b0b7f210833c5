import { describe, expect, test } from 'vitest';
import { toolChoiceFor, toolName, toolsFor } from '../../../src/api/chat/question.js';
import { chatFormats } from '../../../src/contract/enums.js';

const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const about = { name: 'weather', description: 'tells the weather' };

/** The same tool as each format has it. */
const forms = {
  chat: { type: 'function', function: { ...about, parameters } },
  messages: { ...about, input_schema: parameters },
  responses: { type: 'function', ...about, parameters },
};

describe.each(chatFormats)('for the %s format', (format) => {
  test.each(chatFormats)('a definition of the %s format is turned into its own', (from) => {
    expect(toolsFor(format, [forms[from]])).toEqual([forms[format]]);
    expect(toolName(forms[from])).toBe('weather');
  });

  test('a definition of its own form keeps fields that svc does not know', () => {
    const own = {
      chat: { ...forms.chat, extra: 1, function: { ...forms.chat.function, strict: true } },
      messages: { ...forms.messages, type: 'custom', cache_control: { type: 'ephemeral' } },
      responses: { ...forms.responses, strict: true },
    };
    expect(toolsFor(format, [own[format]])).toEqual([own[format]]);
  });

  test.each([
    { type: 'web_search_20250305', name: 'web_search', max_uses: 3 },
    { type: 'web_search' },
    { type: 'custom', name: 'shell', format: { type: 'text' } },
    { description: 'nameless' },
    'weather',
    null,
    7,
  ])('a definition that is no function goes as it came: %j', (definition) => {
    expect(toolsFor(format, [definition])).toEqual([definition]);
    expect(toolName(definition)).toBeUndefined();
  });
});

test('strictness is kept between the two formats that have it', () => {
  const strict = { ...forms.responses, strict: true };
  expect(toolsFor('chat', [strict])).toEqual([
    { ...forms.chat, function: { ...forms.chat.function, strict: true } },
  ]);
  const [chat] = toolsFor('chat', [strict]) ?? [];
  expect(toolsFor('responses', [chat])).toEqual([strict]);
  expect(toolsFor('messages', [strict])).toEqual([forms.messages]);
});

test.each([
  ['chat', 'auto', 'auto'],
  ['chat', 'none', 'none'],
  ['chat', 'required', 'required'],
  ['chat', 'weather', 'weather'],
  ['responses', 'auto', 'auto'],
  ['responses', 'none', 'none'],
  ['responses', 'required', 'required'],
  ['responses', 'weather', { type: 'function', name: 'weather' }],
  ['messages', 'auto', { type: 'auto' }],
  ['messages', 'none', { type: 'none' }],
  ['messages', 'required', { type: 'any' }],
  ['messages', 'weather', { type: 'tool', name: 'weather' }],
] as const)('for the %s format the choice %s is %j', (format, choice, sent) => {
  expect(toolChoiceFor(format, choice)).toEqual(sent);
});
