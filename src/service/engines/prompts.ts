/** Reads a prompt for the models: its text, its images and its number of tokens. */
import { charactersPerToken } from '../../contract/limits.js';
import { isWebAddress } from '../../lib/address.js';
import { imageSize } from '../../lib/image-size.js';
import { countCharacters } from '../../lib/text-pieces.js';
import { badRequest } from '../failure.js';
import type { Part, Prompt } from './engine.js';

export function lastUserText(prompt: Prompt): string {
  return asText(lastUserParts(prompt).filter(({ type }) => type === 'text'));
}

export function closingToolResults({ turns }: Prompt): string[] {
  const lastOther = turns.findLastIndex((turn) => turn.role !== 'tool');
  const parts = turns.slice(lastOther + 1).flatMap((turn) => turn.parts);
  return parts.flatMap((part) => (part.type === 'toolResult' ? part.text : []));
}

/** The parts as text; attachments are described. */
export function asText(parts: readonly Part[]): string {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const described = attachments(parts);
  return [...(text === '' && described.length > 0 ? [] : [text]), ...described].join('\n\n');
}

export function lastUserParts(prompt: Prompt): readonly Part[] {
  return prompt.turns.findLast((turn) => turn.role === 'user')?.parts ?? [];
}

export function attachments(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => (part.type === 'attachment' ? part.text : []));
}

/** Describes the image at an address; reads only data URLs. */
export function describeImageAt(url: string, param: string): string {
  if (isWebAddress(url)) {
    return 'Received an image address, which the embedded service does not fetch.';
  }
  if (!/^data:/i.test(url)) {
    throw badRequest(`${param} is neither a data: URL nor an http(s) address`, param);
  }
  const [head = '', mediaType = ''] = /^data:([^;,]*)[^,]*;base64,/i.exec(url) ?? [];
  if (head === '') throw badRequest(`${param} is a data: URL without base64 data`, param);
  return describeImage(mediaType, url.slice(head.length), param);
}

/** Describes a base64 image: kind, size in bytes and, if readable, in pixels. */
export function describeImage(mediaType: string, data: string, param: string): string {
  if (!/^image\//i.test(mediaType)) {
    throw badRequest(`${param} has the media type "${mediaType}", which is not an image`, param);
  }
  // Padding only at the end; white space is ignored.
  const text = data.replace(/\s+/g, '').replace(/={1,2}$/, '');
  if (text === '' || /[^A-Za-z0-9+/]/.test(text)) {
    throw badRequest(`${param} contains data that is not base64`, param);
  }
  const bytes = Buffer.from(data, 'base64');
  const size = `${bytes.length} ${bytes.length === 1 ? 'byte' : 'bytes'}`;
  const { kind, width, height } = imageSize(bytes) ?? { kind: undefined };
  if (!kind)
    return `Received an image: ${mediaType.toLowerCase()}, ${size}; its size in pixels cannot be read.`;
  return `Received an image: ${kind}, ${size}, ${width} × ${height} pixels.`;
}

const tokensPerAttachment = 256;

/** About four characters are a token (section 2.4). */
export function tokensOf(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}

/** Estimates what a prompt counts as: its texts, tools and attachments; at least one token. */
export function countPrompt({ system, turns, tools }: Pick<Prompt, 'system' | 'turns' | 'tools'>) {
  const parts = turns.flatMap((turn) => turn.parts);
  const attached = parts.filter(({ type }) => type === 'attachment').length;
  let characters = 0;
  for (const text of system) characters += countCharacters(text);
  for (const tool of tools) characters += countCharacters(JSON.stringify(tool));
  for (const part of parts) if (part.type !== 'attachment') characters += charactersOf(part);
  return Math.max(1, tokensOf(characters) + attached * tokensPerAttachment);
}

export function charactersOf(part: Exclude<Part, { type: 'attachment' }>): number {
  if (part.type !== 'toolCall') return countCharacters(part.text);
  return countCharacters(part.name) + countCharacters(part.json);
}
