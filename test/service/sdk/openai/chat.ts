import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import { expect, it } from 'vitest';
import type * as z from 'zod';
import { startPeer } from '../peer.js';
import { Recipe, text, Weather } from '../samples.js';
import { openai, user } from './client.js';

const weather = {
  name: 'get_weather',
  description: 'The weather of the next days',
  parameters: {
    type: 'object',
    properties: {
      city: { type: 'string' },
      unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
      days: { type: 'integer', minimum: 1, maximum: 7 },
    },
    required: ['city', 'unit', 'days'],
    additionalProperties: false,
  },
};
const time = { name: 'get_time', parameters: { type: 'object', properties: {} } };
const tools = [time, weather].map((tool) => ({ type: 'function' as const, function: tool }));

/** What the package does with chat completions: text, tools, and answers that must be JSON. */
export function chatTests(major: number): void {
  it('answers in one piece, and as a stream that the helper assembles', async () => {
    const peer = await startPeer();
    const deltas: string[] = [];
    const { completions } = openai(peer).chat;
    const { result: whole } = await peer.paid(() =>
      completions.create({ model: 'local/echo', messages: [user(text)] }),
    );
    expect(whole.choices[0]).toMatchObject({ message: { role: 'assistant', content: text } });
    const { result, record } = await peer.paid(async () => {
      const stream = completions.stream({
        model: 'local/echo',
        messages: [user(text)],
        stream_options: { include_usage: true },
      });
      stream.on('content', (delta) => deltas.push(delta));
      return { completion: await stream.finalChatCompletion(), usage: await stream.totalUsage() };
    });
    expect(result.completion.choices[0]?.message.content).toBe(text);
    expect(deltas.join('')).toBe(text);
    expect(deltas.length).toBeGreaterThan(5);
    expect(result.usage).toMatchObject({
      prompt_tokens: record.promptTokens,
      completion_tokens: record.completionTokens,
    });
  });

  it('puts streamed calls together with the helper', async () => {
    const peer = await startPeer();
    const done: string[] = [];
    const { result } = await peer.paid(() => {
      const stream = openai(peer).chat.completions.stream({
        model: 'local/echo',
        messages: [user('use get_time and get_weather')],
        tools,
      });
      stream.on('tool_calls.function.arguments.done', ({ name }) => done.push(name));
      return stream.finalChatCompletion();
    });
    expect(done).toEqual(['get_time', 'get_weather']);
    const calls = result.choices[0]?.message.tool_calls ?? [];
    expect(calls.map((call) => call.function.name)).toEqual(['get_time', 'get_weather']);
    Weather.parse(JSON.parse(calls[1]?.function.arguments ?? ''));
  });

  it.each([false, true])(
    'runs tools by itself until there is text (stream: %s)',
    async (stream) => {
      const peer = await startPeer();
      const asked: z.output<typeof Weather>[] = [];
      const body = {
        model: 'local/echo',
        messages: [user('use get_weather')],
        tools: [
          {
            type: 'function' as const,
            function: {
              ...weather,
              parse: (json: string) => Weather.parse(JSON.parse(json)),
              function: (given: z.output<typeof Weather>) => {
                asked.push(given);
                return 'rain, 7 °C';
              },
            },
          },
        ],
      };
      const { completions } = openai(peer).chat;
      const runner = stream
        ? completions.runTools({ ...body, stream: true })
        : completions.runTools({ ...body, stream: false });
      expect(await runner.finalContent()).toBe('rain, 7 °C');
      expect(asked).toHaveLength(1);
      Weather.parse(asked[0]);
      expect(peer.exchanges).toHaveLength(2);
    },
  );

  // The helpers of version 4 know only schemas of zod 3.
  it.skipIf(major === 4)(
    'parses a chat answer and a response that were made up by the schema',
    async () => {
      const peer = await startPeer();
      const { result: chat } = await peer.paid(() =>
        openai(peer).chat.completions.parse({
          model: 'local/echo',
          messages: [user('a soup, please')],
          response_format: zodResponseFormat(Recipe, 'recipe'),
        }),
      );
      const { result: response } = await peer.paid(() =>
        openai(peer).responses.parse({
          model: 'local/echo',
          input: 'a soup, please',
          text: { format: zodTextFormat(Recipe, 'recipe') },
        }),
      );
      for (const parsed of [chat.choices[0]?.message.parsed, response.output_parsed]) {
        expect(parsed?.title).toBe('a soup, please');
        expect(Recipe.parse(parsed)).toEqual(parsed);
      }
    },
  );
}
