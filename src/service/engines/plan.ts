/** From what a model wants to say to what its request allows, and on to the events of a stream. */
import { charactersPerToken } from '../../contract/limits.js';
import { countCharacters } from '../../lib/text-pieces.js';
import { badRequest } from '../failure.js';
import type { Block, AnswerDraft, Event, Plan, Prompt } from './engine.js';
import { charactersOf, countPrompt, tokensOf } from './prompts.js';

/** How many thoughts an effort gives. */
const thoughts: Readonly<Record<string, number>> = {
  minimal: 1,
  low: 2,
  medium: 3,
  high: 5,
  xhigh: 8,
  max: 12,
};

/** The first thoughts of a list, as many as the effort allows, one to a line; none unless asked. */
export function thinkAloud({ reasoning }: Prompt, all: readonly string[]): string {
  if (reasoning.mode !== 'on') return '';
  return all.slice(0, thoughts[reasoning.effort ?? 'medium'] ?? 3).join('\n');
}

/** Ends a draft where the request ends it, and counts it. `newId` gives ids to tool calls. */
export function planAnswer(prompt: Prompt, draft: AnswerDraft, newId: () => string): Plan {
  const { maxTokens = Infinity, stop } = prompt;
  const reasoningTokens = Math.min(prompt.reasoning.budgetTokens ?? Infinity, maxTokens);
  const reasoning = cutAt(draft.reasoning, reasoningTokens * charactersPerToken);
  const reasoningCharacters = countCharacters(reasoning);
  const room = maxTokens * charactersPerToken - reasoningCharacters;
  const whole = draft.blocks.map((block): Block =>
    block.type === 'text' ? block : { ...block, id: newId() },
  );
  const stopped = applyStop(whole, stop);
  const { blocks, cut } = applyLength(stopped.blocks, room);
  const spent = blocks.reduce((sum, block) => sum + charactersOf(block), 0);
  let finish: Plan['finish'] = blocks.some(({ type }) => type === 'toolCall')
    ? 'toolCalls'
    : 'stop';
  if (stopped.sequence !== null) finish = 'stopSequence';
  if (cut || (reasoning.length < draft.reasoning.length && room <= 0)) finish = 'length';
  return {
    items: [
      ...(reasoning === '' ? [] : [{ type: 'reasoning' as const, text: reasoning }]),
      ...blocks,
    ],
    finish,
    stopSequence: finish === 'stopSequence' ? stopped.sequence : null,
    usage: {
      inputTokens: countPrompt(prompt),
      outputTokens: tokensOf(spent + reasoningCharacters),
      reasoningTokens: tokensOf(reasoningCharacters),
    },
    pace: draft.pace,
  };
}

/** A plan as the events of a stream. An item stays open where the stream breaks off. */
export function* eventsOf({ items, pace }: Plan): Generator<Event> {
  const { chunkSize, chunkDelayMs = 0, failure, cut } = pace;
  let isFirst = true;
  let close: Event | undefined;
  yield { type: 'start' };
  for (const [index, item] of items.entries()) {
    if (close) yield close;
    close = { type: 'close', item, index };
    yield { type: 'open', item, index };
    const whole = item.type === 'toolCall' ? item.json : item.text;
    // An empty text is still a text.
    for (const text of whole === '' ? [''] : pieces(whole, chunkSize)) {
      if (!isFirst && chunkDelayMs > 0) yield { type: 'pause', ms: chunkDelayMs };
      isFirst = false;
      yield { type: 'delta', item, index, text };
    }
  }
  if (failure) yield { type: 'failure', failure };
  else if (cut) yield { type: 'cut', how: cut };
  else {
    if (close) yield close;
    yield { type: 'finish' };
  }
}

/** Each is looked for in the whole answer. */
const mostStops = 64;

/** Ends the text before the first stop sequence; nothing follows it. */
function applyStop(
  blocks: readonly Block[],
  stop: readonly string[],
): { blocks: readonly Block[]; sequence: string | null } {
  if (stop.length > mostStops) {
    throw badRequest(`there may be at most ${mostStops} stop sequences, not ${stop.length}`);
  }
  for (const [i, block] of blocks.entries()) {
    if (block.type !== 'text') continue;
    let [at, sequence] = [Infinity, ''];
    for (const one of stop) {
      const found = one === '' ? -1 : block.text.indexOf(one);
      if (found >= 0 && found < at) [at, sequence] = [found, one];
    }
    if (sequence === '') continue;
    return {
      blocks: [...blocks.slice(0, i), { type: 'text', text: block.text.slice(0, at) }],
      sequence,
    };
  }
  return { blocks, sequence: null };
}

/** Keeps what fits into `room` characters; a tool call that does not fit whole is left out. */
function applyLength(blocks: readonly Block[], room: number): { blocks: Block[]; cut: boolean } {
  const kept: Block[] = [];
  let left = room;
  for (const block of blocks) {
    const size = charactersOf(block);
    if (size > left) {
      if (block.type === 'text') kept.push({ type: 'text', text: cutAt(block.text, left) });
      return { blocks: kept, cut: true };
    }
    kept.push(block);
    left -= size;
  }
  return { blocks: kept, cut: false };
}

// Text is cut only where a reader may see it cut: between words, never inside a character.

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The longest piece of an unbroken run of letters, in UTF-16 units. */
const longestPiece = 256;
/** How far around a place to look for the edges of the character that holds it. */
const window = 128;

/** The longest start of a text that has at most `max` code points and splits no grapheme. */
export function cutAt(text: string, max: number): string {
  if (text.length <= max) return text;
  let end = 0;
  for (let count = 0; count < max && end < text.length; count += 1) {
    end += isHigh(text.charCodeAt(end)) && isLow(text.charCodeAt(end + 1)) ? 2 : 1;
  }
  return text.slice(0, graphemeStart(text, end));
}

/** The text in pieces of `size` graphemes, or of about a word each; joined, they are the text. */
export function* pieces(text: string, size?: number): Generator<string> {
  if (size !== undefined) {
    yield* groups(text, size);
    return;
  }
  // A word takes the white space before it, so that no mark is parted from what it stands on.
  for (const [word] of text.matchAll(/\s*\S+|\s+/g)) {
    let rest = word;
    while (rest.length > longestPiece) {
      const end = graphemeStart(rest, longestPiece) || beforePair(rest, longestPiece);
      yield rest.slice(0, end);
      rest = rest.slice(end);
    }
    yield rest;
  }
}

function* groups(text: string, size: number): Generator<string> {
  let group = '';
  let count = 0;
  for (const { segment } of graphemes.segment(text)) {
    group += segment;
    count += 1;
    if (count === size) {
      yield group;
      group = '';
      count = 0;
    }
  }
  if (group !== '') yield group;
}

/** Where the grapheme that holds `index` begins; `index` itself when it is between two. */
function graphemeStart(text: string, index: number): number {
  if (index >= text.length) return text.length;
  const from = beforePair(text, Math.max(0, index - window));
  const near = text.slice(from, index + window);
  const holding = graphemes.segment(near).containing(index - from);
  return holding ? from + holding.index : index;
}

/** `at`, or one less where it would split a surrogate pair. */
function beforePair(text: string, at: number): number {
  return isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at)) ? at - 1 : at;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
