import { expect, it } from 'vitest';
import * as z from 'zod';
import { startPeer } from '../peer.js';
import { openai, user } from './client.js';

const Weather = z.strictObject({
  city: z.string(),
  unit: z.enum(['celsius', 'fahrenheit']),
  days: z.number().min(1).max(7),
});

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

/** What the package does with tools of chat completions. */
export function toolTests(): void {
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
}
