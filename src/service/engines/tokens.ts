/** The token estimate: about four characters each (section 2.4 of the specification). */
import { charactersPerToken } from '../../contract/limits.js';
import { countCharacters } from '../../lib/text-pieces.js';
import type { Block, Part, Prompt } from './types.js';

/** What an image counts as, whatever its size. */
export const tokensPerImage = 256;

/** Tokens of that many characters. */
export function tokensOf(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}

/** Estimates what a prompt counts as: its texts, tools and images; at least one token. */
export function countPrompt(prompt: Pick<Prompt, 'system' | 'turns' | 'tools'>): number {
  let characters = 0;
  let images = 0;
  for (const text of prompt.system) characters += countCharacters(text);
  for (const tool of prompt.tools) characters += countCharacters(JSON.stringify(tool));
  for (const turn of prompt.turns) {
    for (const part of turn.parts) {
      if (part.type === 'image') images += 1;
      else characters += charactersOf(part);
    }
  }
  return Math.max(1, tokensOf(characters) + images * tokensPerImage);
}

/** Characters of an answer's block. */
export function blockCharacters(block: Block): number {
  return block.type === 'text'
    ? countCharacters(block.text)
    : countCharacters(block.name) + countCharacters(block.json);
}

function charactersOf(part: Exclude<Part, { type: 'image' }>): number {
  switch (part.type) {
    case 'text':
    case 'toolResult':
      return countCharacters(part.text);
    case 'toolCall':
      return countCharacters(part.name) + countCharacters(part.json);
  }
}
