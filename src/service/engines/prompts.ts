/** What the models look at in a prompt. */
import { describeImage } from './images.js';
import type { Part, Prompt, Turn } from './types.js';

/** The text of the last message that the user sent, its blocks joined as they are. */
export function lastUserText(prompt: Prompt): string {
  return textOf(lastUserTurn(prompt));
}

/** One sentence for each image of the last user message. */
export function lastUserImages(prompt: Prompt): string[] {
  const parts = lastUserTurn(prompt)?.parts ?? [];
  return parts.flatMap((part) => (part.type === 'image' ? [describeImage(part.image)] : []));
}

/** The results of tools with which the conversation ends, in order; empty when it ends otherwise. */
export function closingToolResults(prompt: Prompt): string[] {
  const lastOther = prompt.turns.findLastIndex((turn) => turn.role !== 'tool');
  return prompt.turns.slice(lastOther + 1).flatMap((turn) => turn.parts.flatMap(resultText));
}

function lastUserTurn(prompt: Prompt): Turn | undefined {
  return prompt.turns.findLast((turn) => turn.role === 'user');
}

function textOf(turn: Turn | undefined): string {
  return (turn?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function resultText(part: Part): string[] {
  return part.type === 'toolResult' ? [part.text] : [];
}
