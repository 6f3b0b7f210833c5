import type * as z from 'zod/mini';
import { expect, test } from 'vitest';
import { ChatCompletionRequest } from '../../src/contract/chat.js';
import { DecisionRequest } from '../../src/contract/decisions.js';
import { explain } from '../../src/contract/explain.js';
import { listImages, ImageRequest } from '../../src/contract/images.js';
import { MediaRequest } from '../../src/contract/media.js';
import { TicketCreateRequest } from '../../src/contract/tickets.js';
import { VoiceCreateRequest } from '../../src/contract/voices.js';

function faultOf(schema: z.ZodMiniType, input: unknown): string {
  const parsed = schema.safeParse(input);
  if (parsed.success) throw new Error('nothing to explain');
  return explain(parsed.error, input);
}

const chat = (fields: object) => ({
  model: 'm',
  messages: [{ role: 'user', content: 'hi' }],
  ...fields,
});
const voice = (fields: object) => ({ name: 'n', consent: true, ...fields });
const decision = (fields: object) => ({ state: 's', questions: { one: fields } });
const ticket = (fields: object) => ({ subject: 'abc', message: '0123456789', ...fields });

test.each([
  ['temperature must be at most 2', ChatCompletionRequest, chat({ temperature: 3 })],
  ['temperature must be a number', ChatCompletionRequest, chat({ temperature: 'hot' })],
  ['max_tokens must be a whole number', ChatCompletionRequest, chat({ max_tokens: 1.5 })],
  ['model is missing', ChatCompletionRequest, chat({ model: undefined })],
  ['messages must have at least 1 item', ChatCompletionRequest, chat({ messages: [] })],
  [
    'messages[0].role must be system, user, assistant or tool',
    ChatCompletionRequest,
    chat({ messages: [{ role: 'narrator' }] }),
  ],
  [
    'messages[0].content must be a string, an array or null',
    ChatCompletionRequest,
    chat({ messages: [{ role: 'user', content: 3 }] }),
  ],
  ['the request must be an object', ChatCompletionRequest, 'text'],
  ['n must be 1', ImageRequest, { model: 'm', prompt: 'p', n: 2 }],
  [
    'size must be auto, or width by height in pixels such as 1024x1024',
    ImageRequest,
    { model: 'm', prompt: 'p', size: 'big' },
  ],
  ['limit must be a number', listImages.query, { limit: 'many' }],
  ['the request has the unknown fields "a" and "n"', MediaRequest, { model: 'm', a: 1, n: 2 }],
  ['requestIds must not name an id twice', TicketCreateRequest, ticket({ requestIds: ['a', 'a'] })],
  ['consent must be true', VoiceCreateRequest, voice({ consent: false })],
  [
    'questions.one.type must be choice, score or noul',
    DecisionRequest,
    decision({ type: 'guess', instructions: 'i' }),
  ],
])('%s', (sentence, schema, input) => {
  expect(faultOf(schema, input)).toBe(sentence);
});

test('a value never shows in the sentence, for it may be a secret', () => {
  const input = chat({ temperature: 'sk-svc-secret' });
  expect(faultOf(ChatCompletionRequest, input)).not.toContain('secret');
});

test('a name that could act on a terminal is shown as JSON', () => {
  const input = { state: 's', questions: { 'a\u001b[2J': { type: 'guess' } } };
  expect(faultOf(DecisionRequest, input)).toBe(
    'questions["a\\u001b[2J"].type must be choice, score or noul',
  );
});

test('many or long names are cut short', () => {
  const extra = Object.fromEntries('abcdefg'.split('').map((name) => [name, 1]));
  expect(faultOf(MediaRequest, { model: 'm', ...extra })).toBe(
    'the request has the unknown fields "a", "b", "c", "d", "e" and 2 more',
  );
  expect(faultOf(MediaRequest, { model: 'm', ['x'.repeat(500)]: 1 })).toBe(
    `the request has the unknown field "${'x'.repeat(60)}…"`,
  );
});
