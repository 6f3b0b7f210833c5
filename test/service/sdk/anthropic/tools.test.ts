import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { expect, it } from 'vitest';
import { startPeer } from '../peer.js';
import * as z from 'zod';
import { Recipe, Weather } from '../samples.js';
import { anthropic, user } from './client.js';

it('the anthropic package and tools runs tools by itself until there is text', async () => {
  const peer = await startPeer();
  const asked: unknown[] = [];
  const message = await anthropic(peer).beta.messages.toolRunner({
    model: 'local/echo',
    max_tokens: 1000,
    messages: [user('use get_weather')],
    tools: [
      betaZodTool({
        name: 'get_weather',
        description: 'The weather of the next days',
        inputSchema: Weather,
        run: (input) => {
          asked.push(input);
          return 'rain, 7 °C';
        },
      }),
    ],
  });
  expect(message.content).toMatchObject([{ type: 'text', text: 'rain, 7 °C' }]);
  expect(asked).toHaveLength(1);
  Weather.parse(asked[0]);
  expect(peer.exchanges).toHaveLength(2);
});

it('the anthropic package may offer tools of the service, choose them and send documents', async () => {
  const peer = await startPeer();
  const source = { type: 'text' as const, media_type: 'text/plain' as const, data: 'x' };
  const body = {
    model: 'local/echo',
    max_tokens: 1000,
    tools: [
      { type: 'web_search_20250305' as const, name: 'web_search' as const, max_uses: 1 },
      { type: 'bash_20250124' as const, name: 'bash' as const },
    ],
    tool_choice: { type: 'tool' as const, name: 'web_search' },
    messages: [
      {
        role: 'user' as const,
        content: [
          { type: 'document' as const, source },
          { type: 'text' as const, text: 'what is it?' },
        ],
      },
    ],
  };
  const whole = await anthropic(peer).messages.create(body);
  expect(whole.content).toMatchObject([
    { type: 'text', text: expect.stringContaining('what is it?') },
  ]);
  expect(await anthropic(peer).messages.stream(body).finalText()).toContain('"document"');
});

/** The package sends no limits of numbers, so the service cannot keep them. */
const Dish = Recipe.extend({ minutes: z.int() });
const body = {
  model: 'local/echo',
  max_tokens: 1000,
  messages: [user('a soup, please')],
  output_config: { format: zodOutputFormat(Dish) },
};

it('the anthropic package and answers that must be JSON parses an answer that was made up by the schema', async () => {
  const peer = await startPeer();
  const { result } = await peer.paid(() => anthropic(peer).messages.parse(body));
  expect(result.parsed_output?.title).toBe('a soup, please');
  expect(Dish.parse(result.parsed_output)).toEqual(result.parsed_output);
});
