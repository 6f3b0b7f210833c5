import { describe, expect, test } from 'vitest';
import {
  chatBody,
  lacking,
  messagesBody,
  responsesBody,
  type Question,
} from '../../../src/api/chat/question.js';
import {
  ChatCompletionRequest,
  MessagesRequest,
  ResponsesRequest,
} from '../../../src/contract/chat.js';
import { chatFormats } from '../../../src/contract/enums.js';

const least: Question = {
  model: 'maker/model',
  parts: [{ type: 'text', text: 'why?' }],
  stream: true,
};
const png = 'data:image/png;base64,iVBORw0KGgo=';
const pictured: Question = {
  ...least,
  parts: [
    { type: 'text', text: 'what is this?' },
    { type: 'image', url: png },
    { type: 'image', url: 'https://example.org/a.png?x=1,2;base64,3' },
  ],
};
const full: Question = {
  ...least,
  system: 'be brief',
  stream: false,
  maxTokens: 50,
  temperature: 0,
  topP: 0.5,
  tools: [{ name: 'now' }],
  toolChoice: 'required',
};
const schema = {
  name: 'answer',
  schema: { type: 'object', properties: { yes: { type: 'boolean' } } },
};

describe('in the chat format', () => {
  test('a question says no more than was asked', () => {
    expect(chatBody(least)).toEqual({
      model: 'maker/model',
      messages: [{ role: 'user', content: 'why?' }],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  test('every part of a question has its field', () => {
    expect(chatBody({ ...full, reasoningEffort: 'low', schema })).toEqual({
      model: 'maker/model',
      messages: [
        { role: 'system', content: 'be brief' },
        { role: 'user', content: 'why?' },
      ],
      stream: false,
      max_tokens: 50,
      temperature: 0,
      top_p: 0.5,
      reasoning_effort: 'low',
      tools: [
        {
          type: 'function',
          function: { name: 'now', parameters: { type: 'object', properties: {} } },
        },
      ],
      tool_choice: 'required',
      response_format: { type: 'json_schema', json_schema: { ...schema, strict: true } },
    });
  });

  test('an image is a block with its URL', () => {
    expect(chatBody(pictured).messages[0]?.content).toEqual([
      { type: 'text', text: 'what is this?' },
      { type: 'image_url', image_url: { url: png } },
      { type: 'image_url', image_url: { url: 'https://example.org/a.png?x=1,2;base64,3' } },
    ]);
  });

  test('a JSON object is asked for by its type', () => {
    expect(chatBody({ ...least, jsonObject: true }).response_format).toEqual({
      type: 'json_object',
    });
  });
});

describe('in the messages format', () => {
  test('every part of a question has its field', () => {
    expect(messagesBody({ ...full, thinkingBudgetTokens: 20 })).toEqual({
      model: 'maker/model',
      max_tokens: 50,
      messages: [{ role: 'user', content: 'why?' }],
      system: 'be brief',
      stream: false,
      temperature: 0,
      top_p: 0.5,
      thinking: { type: 'enabled', budget_tokens: 20 },
      tools: [{ name: 'now', input_schema: { type: 'object', properties: {} } }],
      tool_choice: { type: 'any' },
    });
  });

  test('an image is a source: its bytes, or its URL', () => {
    expect(messagesBody(pictured).messages[0]?.content).toEqual([
      { type: 'text', text: 'what is this?' },
      {
        type: 'image',
        source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
      },
      {
        type: 'image',
        source: { type: 'url', url: 'https://example.org/a.png?x=1,2;base64,3' },
      },
    ]);
  });
});

describe('in the responses format', () => {
  test('a question says no more than was asked', () => {
    expect(responsesBody(least)).toEqual({
      model: 'maker/model',
      input: [{ role: 'user', content: 'why?' }],
      stream: true,
    });
  });

  test('every part of a question has its field', () => {
    const asked: Question = { ...full, reasoningEffort: 'low', reasoningSummary: 'auto', schema };
    expect(responsesBody(asked)).toEqual({
      model: 'maker/model',
      input: [
        { role: 'system', content: 'be brief' },
        { role: 'user', content: 'why?' },
      ],
      stream: false,
      max_output_tokens: 50,
      temperature: 0,
      top_p: 0.5,
      reasoning: { effort: 'low', summary: 'auto' },
      tools: [{ type: 'function', name: 'now', parameters: { type: 'object', properties: {} } }],
      tool_choice: 'required',
      text: { format: { type: 'json_schema', ...schema, strict: true } },
    });
  });

  test('an image is a block with its URL', () => {
    expect(responsesBody(pictured).input[0]).toEqual({
      role: 'user',
      content: [
        { type: 'input_text', text: 'what is this?' },
        { type: 'input_image', image_url: png },
        { type: 'input_image', image_url: 'https://example.org/a.png?x=1,2;base64,3' },
      ],
    });
  });

  test('a JSON object is asked for by its type', () => {
    expect(responsesBody({ ...least, jsonObject: true })['text']).toEqual({
      format: { type: 'json_object' },
    });
  });
});

const bodies = { chat: chatBody, messages: messagesBody, responses: responsesBody };
const schemas = {
  chat: ChatCompletionRequest,
  messages: MessagesRequest,
  responses: ResponsesRequest,
};

describe.each(chatFormats)('any question in the %s format', (format) => {
  const thorough: Question = {
    ...full,
    parts: pictured.parts,
    reasoningEffort: 'high',
    reasoningSummary: 'detailed',
    thinkingBudgetTokens: 10,
    schema,
  };

  test.each([
    ['that is short', least],
    ['with images', pictured],
    ['with everything', thorough],
  ])('%s fits the contract', (_, question) => {
    expect(schemas[format].safeParse(bodies[format](question)).success).toBe(true);
  });

  test('is the same without what the format is said to lack, and differs without all else', () => {
    const sent = JSON.stringify(bodies[format](thorough));
    const optional = [
      'reasoningEffort',
      'reasoningSummary',
      'thinkingBudgetTokens',
      'schema',
    ] as const;
    for (const field of optional) {
      const without = JSON.stringify(bodies[format]({ ...thorough, [field]: undefined }));
      expect([field, without === sent]).toEqual([field, lacking[format].includes(field)]);
    }
    const asObject = JSON.stringify(bodies[format]({ ...least, jsonObject: true }));
    const isIgnored = asObject === JSON.stringify(bodies[format](least));
    expect(isIgnored).toBe(lacking[format].includes('jsonObject'));
  });
});
