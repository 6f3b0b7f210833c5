/** Reads a prompt for the models: its text, its images and its number of tokens. */
import { charactersPerToken } from '../../contract/limits.js';
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

/** The parts as text; images are described. */
export function asText(parts: readonly Part[]): string {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const images = describeImages(parts);
  return [...(text === '' && images.length > 0 ? [] : [text]), ...images].join('\n\n');
}

export function lastUserParts(prompt: Prompt): readonly Part[] {
  return prompt.turns.findLast((turn) => turn.role === 'user')?.parts ?? [];
}

export function describeImages(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => (part.type === 'image' ? part.text : []));
}

/** Describes the image at an address; reads only data URLs. */
export function describeImageAt(url: string, param: string): string {
  if (/^https?:\/\//i.test(url)) {
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
  const { kind, width, height } = measure(bytes) ?? { kind: undefined };
  if (!kind)
    return `Received an image: ${mediaType.toLowerCase()}, ${size}; its size in pixels cannot be read.`;
  return `Received an image: ${kind}, ${size}, ${width} × ${height} pixels.`;
}

/** Kind and size in pixels, from the first bytes. */
export function measure(
  bytes: Buffer,
): { kind: 'PNG' | 'JPEG' | 'GIF' | 'WebP'; width: number; height: number } | undefined {
  const start = bytes.toString('latin1', 0, 16);
  if (start.startsWith('\x89PNG\r\n\x1a\n') && bytes.length >= 24) {
    return { kind: 'PNG', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  }
  if (/^GIF8[79]a/.test(start) && bytes.length >= 10) {
    return { kind: 'GIF', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  }
  const webp = /^RIFF[^]{4}WEBPVP8([ LX])/.exec(start)?.[1];
  if (webp && bytes.length >= 30) return { kind: 'WebP', ...webpSize(bytes, webp) };
  return start.startsWith('\xff\xd8\xff') ? measureJpeg(bytes) : undefined;
}

/** Extended files have 24 bits a side, lossless and lossy ones 14. */
function webpSize(bytes: Buffer, variant: string) {
  if (variant === 'X') {
    return { width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) };
  }
  const bits = bytes.readUInt32LE(variant === 'L' ? 21 : 26);
  if (variant === ' ') return { width: bits & 0x3fff, height: (bits >>> 16) & 0x3fff };
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
}

function measureJpeg(bytes: Buffer) {
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes.readUInt8(at + 1);
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)];
      return { kind: 'JPEG' as const, width, height };
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

const tokensPerImage = 256;

/** About four characters are a token (section 2.4). */
export function tokensOf(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}

/** Estimates what a prompt counts as: its texts, tools and images; at least one token. */
export function countPrompt({ system, turns, tools }: Pick<Prompt, 'system' | 'turns' | 'tools'>) {
  const parts = turns.flatMap((turn) => turn.parts);
  const images = parts.filter(({ type }) => type === 'image').length;
  let characters = 0;
  for (const text of system) characters += countCharacters(text);
  for (const tool of tools) characters += countCharacters(JSON.stringify(tool));
  for (const part of parts) if (part.type !== 'image') characters += charactersOf(part);
  return Math.max(1, tokensOf(characters) + images * tokensPerImage);
}

export function charactersOf(part: Exclude<Part, { type: 'image' }>): number {
  if (part.type !== 'toolCall') return countCharacters(part.text);
  return countCharacters(part.name) + countCharacters(part.json);
}
