import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { chatText, openService, post, splitEvents } from '../helpers.js';

const awkward = [
  'héllo 🌍',
  '',
  ' ',
  'CRLF\r\nCR\rLF\n',
  'NUL \0 and DEL \u007f and ESC \u001b[31m',
  '\u2028\u2029\u00a0\ufeff',
  'data: [DONE]\n\nevent: message_stop\n\n',
  'lone \ud83c half',
  '\\ " \' </script> %00 {"a":1}',
  '🌍'.repeat(3000),
];

const Piece = z.looseObject({
  choices: z.optional(z.array(z.object({ delta: z.object({ content: z.optional(z.string()) }) }))),
  delta: z.optional(z.object({ text: z.optional(z.string()) })),
});

/** The text of a stream, of chat chunks or of message events. */
function textIn(stream: string): string {
  const events = splitEvents(stream).filter(({ data }) => data !== '[DONE]');
  const pieces = events.map(({ data }) => Piece.parse(JSON.parse(data)));
  return pieces.map(({ choices, delta }) => choices?.[0]?.delta.content ?? delta?.text).join('');
}

it.each(awkward)('local/echo gives back exactly %j, in every form', async (text) => {
  const service = openService();
  const messages = [{ role: 'user', content: text }];
  const chat = { model: 'local/echo', messages };

  expect(await chatText(await post(service, '/v1/chat/completions', chat))).toBe(text);
  for (const path of ['/v1/chat/completions', '/v1/messages']) {
    const stream = await post(service, path, { ...chat, max_tokens: 100_000, stream: true });
    expect(textIn(await stream.text())).toBe(text);
  }
  const response = await post(service, '/v1/responses', { model: 'local/echo', input: text });
  expect(await response.json()).toMatchObject({ output: [{ content: [{ text }] }] });
});
