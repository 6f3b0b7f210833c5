/** Applies the limits of a request to an answer, and splits texts where they may be split. */
import { charactersPerToken } from '../../contract/limits.js';
import { countCharacters, endOf } from '../../lib/text-pieces.js';
import { parsedJson, recordOf, textOf } from '../../lib/json.js';
import { badRequest } from '../failure.js';
import type { Block, AnswerDraft, Plan, Prompt, ToolCall } from './engine.js';
import { charactersOf, countPrompt, tokensOf } from './prompts.js';

/** Applies the request's limits to a draft and counts its tokens. `newId` creates tool call ids. */
export function planAnswer(prompt: Prompt, draft: AnswerDraft, newId: () => string): Plan {
  const { maxTokens = Infinity, stop } = prompt;
  const reasoningTokens = Math.min(prompt.reasoning.budgetTokens ?? Infinity, maxTokens);
  const reasoning = cutAt(draft.reasoning, reasoningTokens * charactersPerToken);
  const reasoningCharacters = countCharacters(reasoning);
  const room = maxTokens * charactersPerToken - reasoningCharacters;
  const whole = draft.blocks.map((block): Block =>
    block.type === 'text' ? block : { ...callOf(block, prompt), id: newId() },
  );
  const stopped = applyStop(whole, stop);
  const { blocks, cut } = applyLength(stopped.blocks, room);
  const spent = blocks.reduce((sum, block) => sum + charactersOf(block), 0);
  const hasCall = blocks.some(({ type }) => type === 'toolCall');
  let finish: Plan['finish'] = hasCall ? 'toolCalls' : 'stop';
  if (stopped.sequence !== null) finish = 'stopSequence';
  if (cut || (reasoning.length < draft.reasoning.length && room <= 0)) finish = 'length';
  const thoughts = reasoning === '' ? [] : [{ type: 'reasoning' as const, text: reasoning }];
  return {
    items: [...thoughts, ...blocks],
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

/** A custom tool gets the argument `input` as its text, or else all arguments as JSON. */
function callOf(call: ToolCall, { tools }: Prompt): Omit<Extract<Block, ToolCall>, 'id'> {
  const tool = tools.find(({ name }) => name === call.name);
  if (tool?.kind !== 'custom') return { ...call, tool };
  return { ...call, tool, json: textOf(recordOf(parsedJson(call.json))['input']) ?? call.json };
}

const maxStops = 64;

/** Ends the text before the first stop sequence; nothing follows it. */
function applyStop(blocks: readonly Block[], stop: readonly string[]) {
  if (stop.length > maxStops) {
    throw badRequest(`there may be at most ${maxStops} stop sequences, not ${stop.length}`);
  }
  for (const [i, block] of blocks.entries()) {
    if (block.type !== 'text') continue;
    const [first] = stop
      .map((sequence) => ({ sequence, at: sequence === '' ? -1 : block.text.indexOf(sequence) }))
      .filter(({ at }) => at >= 0)
      .sort((a, b) => a.at - b.at);
    if (!first) continue;
    const start: Block = { type: 'text', text: block.text.slice(0, first.at) };
    return { blocks: [...blocks.slice(0, i), start], sequence: first.sequence };
  }
  return { blocks, sequence: null };
}

/** Keeps up to `room` characters; a tool call that does not fit is omitted. */
function applyLength(blocks: readonly Block[], room: number): { blocks: Block[]; cut: boolean } {
  const fitting: Block[] = [];
  let left = room;
  for (const block of blocks) {
    const size = charactersOf(block);
    if (size > left) {
      if (block.type === 'text') fitting.push({ type: 'text', text: cutAt(block.text, left) });
      return { blocks: fitting, cut: true };
    }
    fitting.push(block);
    left -= size;
  }
  return { blocks: fitting, cut: false };
}

// Text is split between words, never inside a character.

let segmenter: Intl.Segmenter | undefined;
/** Made when a text is cut: it takes 15 ms. */
function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** The longest piece of an unbroken run of letters, in UTF-16 units. */
const maxPieceLength = 256;
/** How far around a place to look for the edges of the character that holds it. */
const window = 128;

/** The longest start of a text that has at most `max` code points and splits no grapheme. */
export function cutAt(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, graphemeStart(text, endOf(text, 0, max)));
}

/** The text in pieces of `size` graphemes, or of about a word each; joined, they are the text. */
export function* pieces(text: string, size?: number): Generator<string> {
  if (size !== undefined) {
    const all = Array.from(graphemesOf(text), ({ segment }) => segment);
    for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size).join('');
    return;
  }
  // A word takes the white space before it, so that no combining mark loses its base.
  for (const [word] of text.matchAll(/\s*\S+|\s+/g)) {
    let rest = word;
    while (rest.length > maxPieceLength) {
      const end = graphemeStart(rest, maxPieceLength) || surrogateStart(rest, maxPieceLength);
      yield rest.slice(0, end);
      rest = rest.slice(end);
    }
    yield rest;
  }
}

/** Where the grapheme that holds `index` begins; `index` itself when it is between two. */
function graphemeStart(text: string, index: number): number {
  if (index >= text.length) return text.length;
  const from = surrogateStart(text, Math.max(0, index - window));
  const near = text.slice(from, index + window);
  const holding = graphemesOf(near).containing(index - from);
  return holding ? from + holding.index : index;
}

/** `at`, or one less where it would split a surrogate pair. */
export function surrogateStart(text: string, at: number): number {
  return (text.codePointAt(at - 1) ?? 0) > 0xffff ? at - 1 : at;
}
