/** local/echo: sends the last user message back, byte for byte, and says what image it had. */
import { countCharacters } from '../../lib/text-pieces.js';
import { callTools, inForm } from './answers.js';
import type { AnswerDraft, Prompt } from './engine.js';
import { thinkAloud } from './plan.js';
import { asText, closingToolResults, lastUserParts } from './prompts.js';

export async function echo(prompt: Prompt): Promise<AnswerDraft> {
  const calls = await callTools(prompt);
  const results = closingToolResults(prompt);
  const text = results.length > 0 ? results.join('\n') : asText(lastUserParts(prompt));
  const reasoning = thinkAloud(prompt, [
    `The last message has ${countCharacters(text)} characters.`,
    'An echo changes nothing.',
    'So it goes back as it came.',
    `The conversation has ${prompt.turns.length} messages; only the last one counts.`,
    `Tools on offer: ${prompt.tools.map((tool) => tool.name).join(', ') || 'none'}.`,
  ]);
  if (calls.length > 0) return { reasoning, blocks: calls, pace: {} };
  const answer = await inForm(prompt.output, text, { echo: text });
  return { reasoning, blocks: [{ type: 'text', text: answer }], pace: {} };
}
