import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { openService, post, splitEvents } from '../helpers.js';

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

const Chunk = z.looseObject({
  choices: z.array(z.looseObject({ delta: z.looseObject({ content: z.optional(z.string()) }) })),
});
const Chat = z.looseObject({
  choices: z.tuple([z.looseObject({ message: z.looseObject({ content: z.string() }) })]),
});
const Delta = z.looseObject({ delta: z.optional(z.looseObject({ text: z.optional(z.string()) })) });

it.each(awkward)('local/echo gives back exactly %j, in every form', async (text) => {
  const service = openService();
  const messages = [{ role: 'user', content: text }];
  const chat = { model: 'local/echo', messages };

  const whole = await (await post(service, '/v1/chat/completions', chat)).json();
  expect(Chat.parse(whole).choices[0].message.content).toBe(text);

  const stream = await post(service, '/v1/chat/completions', { ...chat, stream: true });
  const chunks = splitEvents(await stream.text()).slice(0, -1);
  const streamed = chunks.map(
    ({ data }) => Chunk.parse(JSON.parse(data)).choices[0]?.delta.content,
  );
  expect(streamed.join('')).toBe(text);

  const body = { ...chat, max_tokens: 100_000, stream: true };
  const named = splitEvents(await (await post(service, '/v1/messages', body)).text());
  const texts = named.map(({ data }) => Delta.parse(JSON.parse(data)).delta?.text ?? '');
  expect(texts.join('')).toBe(text);

  const response = await post(service, '/v1/responses', { model: 'local/echo', input: text });
  expect(await response.json()).toMatchObject({ output: [{ content: [{ text }] }] });
});
