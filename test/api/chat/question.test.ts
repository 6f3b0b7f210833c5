import { describe, expect, test } from 'vitest';
import {
  chatBody,
  messagesBody,
  responsesBody,
  toolChoiceFor,
  toolName,
  toolsFor,
  unsupportedOptions,
  type ChatCall,
} from '../../../src/api/chat/question.js';
import { chatFormats } from '../../../src/contract/enums.js';

const least: ChatCall = { model: 'm', parts: [{ type: 'text', text: 'why?' }], stream: true };
const schema = { name: 'answer', schema: { type: 'object' } };

const bodies = { chat: chatBody, messages: messagesBody, responses: responsesBody };
test('a JSON object is asked for by its type', () => {
  const asked = { ...least, jsonObject: true };
  const type = { type: 'json_object' };
  expect(chatBody(asked).response_format).toEqual(type);
  expect(responsesBody(asked)['text']).toEqual({ format: type });
});

test.each(chatFormats)('a question in the %s format changes with what it supports', (format) => {
  const sent = JSON.stringify(bodies[format](least));
  for (const [option, value] of Object.entries({
    reasoningEffort: 'high',
    reasoningSummary: 'detailed',
    thinkingBudget: 10,
    schema,
    jsonObject: true,
  })) {
    const isIgnored = JSON.stringify(bodies[format]({ ...least, [option]: value })) === sent;
    const isLacking = unsupportedOptions[format].some((one) => one === option);
    expect([option, isIgnored]).toEqual([option, isLacking]);
  }
});

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

  test('a definition in its own form keeps fields that svc does not know', () => {
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
  ])('a definition that is not a function is sent unchanged: %j', (definition) => {
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
  ['chat', 'weather', 'weather'],
  ['responses', 'required', 'required'],
  ['responses', 'weather', { type: 'function', name: 'weather' }],
  ['messages', 'auto', { type: 'auto' }],
  ['messages', 'required', { type: 'any' }],
  ['messages', 'weather', { type: 'tool', name: 'weather' }],
] as const)('for the %s format the choice %s is %j', (format, choice, sent) => {
  expect(toolChoiceFor(format, choice)).toEqual(sent);
});
