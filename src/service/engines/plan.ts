/** From what a model wants to say to what its request allows: stop sequences, then max_tokens. */
import { charactersPerToken } from '../../contract/limits.js';
import { badRequest } from '../failure.js';
import { countCharacters } from '../../lib/text-pieces.js';
import { cutAt, pieces } from './pieces.js';
import { blockCharacters, countPrompt, tokensOf } from './tokens.js';
import type { Block, Draft, Event, FinishReason, Plan, Prompt } from './types.js';

/** Ends a draft where the request ends it, and counts it. `newId` gives ids to tool calls. */
export function planAnswer(prompt: Prompt, draft: Draft, newId: () => string): Plan {
  const reasoning = fitReasoning(prompt, draft.reasoning);
  const reasoningCharacters = countCharacters(reasoning);
  const whole = draft.blocks.map((block): Block =>
    block.type === 'text' ? block : { ...block, id: newId() },
  );
  const stopped = applyStop(whole, prompt.stop);
  const room = (prompt.maxTokens ?? Infinity) * charactersPerToken - reasoningCharacters;
  const fitted = applyLength(stopped.blocks, room);
  const spent = fitted.blocks.reduce((sum, block) => sum + blockCharacters(block), 0);
  const reasoningCut = reasoning.length < draft.reasoning.length && room <= 0;
  const finish: FinishReason =
    fitted.cut || reasoningCut ? 'length' : finishOf(fitted.blocks, stopped.sequence);
  return {
    reasoning,
    blocks: fitted.blocks,
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

/** A plan as the events of a stream. */
export function* eventsOf(plan: Plan): Generator<Event> {
  const { chunkSize, chunkDelayMs = 0, failure, cut } = plan.pace;
  let first = true;
  function* deltas(text: string, toEvent: (piece: string) => Event): Generator<Event> {
    for (const piece of pieces(text, chunkSize)) {
      if (!first && chunkDelayMs > 0) yield { type: 'pause', ms: chunkDelayMs };
      first = false;
      yield toEvent(piece);
    }
  }
  yield* deltas(plan.reasoning, (text) => ({ type: 'reasoning', text }));
  for (const block of plan.blocks) {
    if (block.type === 'text') {
      // An empty text is still a text: its block is opened and closed.
      if (block.text === '') yield { type: 'text', text: '' };
      yield* deltas(block.text, (text) => ({ type: 'text', text }));
    } else {
      yield { type: 'toolCall', id: block.id, name: block.name };
      yield* deltas(block.json, (json) => ({ type: 'toolArguments', json }));
    }
  }
  if (failure) yield { type: 'failure', failure };
  else if (cut) yield { type: 'cut', how: cut };
  else {
    yield { type: 'finish', reason: plan.finish, stopSequence: plan.stopSequence };
    yield { type: 'usage', usage: plan.usage };
  }
}

function fitReasoning({ reasoning, maxTokens = Infinity }: Prompt, text: string): string {
  const tokens = Math.min(reasoning.budgetTokens ?? Infinity, maxTokens);
  return cutAt(text, tokens * charactersPerToken);
}

function finishOf(blocks: readonly Block[], sequence: string | null): FinishReason {
  if (sequence !== null) return 'stopSequence';
  return blocks.some((block) => block.type === 'toolCall') ? 'toolCalls' : 'stop';
}

/** Each is looked for in the whole answer. */
const mostStops = 64;

interface Stopped {
  readonly blocks: readonly Block[];
  readonly sequence: string | null;
}

/** Ends the text before the first stop sequence; nothing follows it. */
function applyStop(blocks: readonly Block[], stop: readonly string[]): Stopped {
  if (stop.length > mostStops) {
    throw badRequest(`there may be at most ${mostStops} stop sequences, not ${stop.length}`);
  }
  const kept: Block[] = [];
  for (const block of blocks) {
    const found = block.type === 'text' ? firstOf(block.text, stop) : undefined;
    if (block.type === 'text' && found) {
      kept.push({ type: 'text', text: block.text.slice(0, found.at) });
      return { blocks: kept, sequence: found.sequence };
    }
    kept.push(block);
  }
  return { blocks: kept, sequence: null };
}

function firstOf(text: string, stop: readonly string[]) {
  let first: { at: number; sequence: string } | undefined;
  for (const sequence of stop) {
    const at = sequence === '' ? -1 : text.indexOf(sequence);
    if (at >= 0 && (!first || at < first.at)) first = { at, sequence };
  }
  return first;
}

interface Fitted {
  readonly blocks: readonly Block[];
  readonly cut: boolean;
}

/** Keeps what fits into `room` characters; a tool call that does not fit whole is left out. */
function applyLength(blocks: readonly Block[], room: number): Fitted {
  const kept: Block[] = [];
  let left = room;
  for (const block of blocks) {
    const size = blockCharacters(block);
    if (size > left) {
      if (block.type === 'text') kept.push({ type: 'text', text: cutAt(block.text, left) });
      return { blocks: kept, cut: true };
    }
    kept.push(block);
    left -= size;
  }
  return { blocks: kept, cut: false };
}
