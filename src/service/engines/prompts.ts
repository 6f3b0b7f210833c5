/** What the models look at in a prompt. */
import { describeImage } from './images.js';
import type { Part, Prompt } from './types.js';

/** The text of the last message that the user sent, its blocks joined as they are. */
export function lastUserText(prompt: Prompt): string {
  return asText(lastUserParts(prompt).filter(({ type }) => type === 'text'));
}

/** One sentence for each image of the last user message. */
export function lastUserImages(prompt: Prompt): string[] {
  return imagesOf(lastUserParts(prompt));
}

/** The results of tools with which the conversation ends, in order; empty when it ends otherwise. */
export function closingToolResults(prompt: Prompt): string[] {
  const lastOther = prompt.turns.findLastIndex((turn) => turn.role !== 'tool');
  return prompt.turns.slice(lastOther + 1).flatMap((turn) => turn.parts.flatMap(resultText));
}

/** The words of parts where nothing but text has a place; an image is told of. */
export function asText(parts: readonly Part[]): string {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const images = imagesOf(parts);
  return [...(text === '' && images.length > 0 ? [] : [text]), ...images].join('\n\n');
}

/** The parts of the last message that the user sent. */
export function lastUserParts(prompt: Prompt): readonly Part[] {
  return prompt.turns.findLast((turn) => turn.role === 'user')?.parts ?? [];
}

function imagesOf(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => (part.type === 'image' ? [describeImage(part.image)] : []));
}

function resultText(part: Part): string[] {
  return part.type === 'toolResult' ? [part.text] : [];
}
