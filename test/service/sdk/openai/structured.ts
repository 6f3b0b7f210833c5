import { zodResponseFormat, zodTextFormat } from 'openai/helpers/zod';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { startPeer } from '../peer.js';
import { openai, user } from './client.js';

const Recipe = z.object({
  title: z.string(),
  minutes: z.int().min(5).max(600),
  course: z.enum(['starter', 'main', 'dessert']),
  vegan: z.boolean(),
  note: z.nullable(z.string()),
  steps: z.array(z.object({ text: z.string(), heat: z.union([z.number(), z.null()]) })).min(1),
});

/** What the package does with answers that must be JSON. */
export function structuredTests(): void {
  it('parses a chat answer and a response that were made up by the schema', async () => {
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
  });
}
