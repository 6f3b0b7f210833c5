/** Writes answers in the messages format. */
import { createHash } from 'node:crypto';
import { eventsOf } from '../engines/plan.js';
import type { Event, FinishReason, Plan, TokenUsage } from '../engines/types.js';
import { failureBody } from '../failure.js';
import { namedFrame, type Frame, type Head, type Writer } from './format.js';

const stopReasons: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  stopSequence: 'stop_sequence',
  length: 'max_tokens',
  toolCalls: 'tool_use',
};

export const messagesWriter: Writer = { complete, stream };

function complete(plan: Plan, head: Head): unknown {
  const thinking =
    plan.reasoning === ''
      ? []
      : [{ type: 'thinking', thinking: plan.reasoning, signature: signatureOf(plan.reasoning) }];
  const blocks = plan.blocks.map((block) => {
    if (block.type === 'text') return { type: 'text', text: block.text };
    const input: unknown = JSON.parse(block.json);
    return { type: 'tool_use', id: toolId(block.id), name: block.name, input };
  });
  return {
    ...envelope(head),
    content: [...thinking, ...blocks],
    stop_reason: stopReasons[plan.finish],
    stop_sequence: plan.stopSequence ?? undefined,
    usage: usageOf(plan.usage, plan.usage.outputTokens),
  };
}

function* stream(plan: Plan, head: Head): Generator<Frame> {
  yield namedFrame('message_start', {
    message: {
      ...envelope(head),
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: usageOf(plan.usage, 0),
    },
  });
  yield namedFrame('ping');
  const blocks = new Blocks();
  for (const event of eventsOf(plan)) {
    switch (event.type) {
      case 'pause':
        yield event;
        break;
      case 'cut':
        yield event;
        return;
      case 'failure':
        yield namedFrame('error', failureBody('messages', event.failure, head.requestId));
        return;
      case 'finish':
        yield* blocks.close();
        yield namedFrame('message_delta', {
          delta: { stop_reason: stopReasons[event.reason], stop_sequence: event.stopSequence },
          usage: usageOf(plan.usage, plan.usage.outputTokens),
        });
        break;
      case 'usage':
        // It went out with the reason to stop.
        break;
      default:
        yield* blocks.add(event);
    }
  }
  yield namedFrame('message_stop');
}

type Delta = Extract<Event, { type: 'reasoning' | 'text' | 'toolCall' | 'toolArguments' }>;

/** Content blocks, one after the other: a new kind of event closes the block before it. */
class Blocks {
  #index = -1;
  #open: 'reasoning' | 'text' | 'toolCall' | undefined;
  #thinking = '';

  *add(event: Delta): Generator<Frame> {
    const kind = event.type === 'toolArguments' ? 'toolCall' : event.type;
    if (event.type === 'toolCall' || this.#open !== kind) {
      yield* this.close();
      this.#index += 1;
      this.#open = kind;
      yield this.#frame('content_block_start', { content_block: emptyBlock(event) });
    }
    if (event.type === 'reasoning') this.#thinking += event.text;
    if (event.type !== 'toolCall') {
      yield this.#frame('content_block_delta', { delta: deltaOf(event) });
    }
  }

  *close(): Generator<Frame> {
    if (!this.#open) return;
    if (this.#open === 'reasoning') {
      const delta = { type: 'signature_delta', signature: signatureOf(this.#thinking) };
      yield this.#frame('content_block_delta', { delta });
    }
    yield this.#frame('content_block_stop', {});
    this.#open = undefined;
  }

  #frame(type: string, rest: object): Frame {
    return namedFrame(type, { index: this.#index, ...rest });
  }
}

function emptyBlock(event: Delta): object {
  switch (event.type) {
    case 'reasoning':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'text':
      return { type: 'text', text: '' };
    case 'toolCall':
      return { type: 'tool_use', id: toolId(event.id), name: event.name, input: {} };
    case 'toolArguments':
      throw new Error('arguments of a tool call came before the call');
  }
}

function deltaOf(event: Exclude<Delta, { type: 'toolCall' }>): object {
  switch (event.type) {
    case 'reasoning':
      return { type: 'thinking_delta', thinking: event.text };
    case 'text':
      return { type: 'text_delta', text: event.text };
    case 'toolArguments':
      return { type: 'input_json_delta', partial_json: event.json };
  }
}

function envelope({ id, model }: Head) {
  return { id: `msg_${id}`, type: 'message', role: 'assistant', model };
}

function toolId(id: string): string {
  return `toolu_${id}`;
}

/** A stand-in for the seal by which a service knows its own thoughts again. */
function signatureOf(thinking: string): string {
  return createHash('sha256').update(thinking).digest('base64');
}

function usageOf({ inputTokens }: TokenUsage, outputTokens: number) {
  return {
    input_tokens: inputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: outputTokens,
  };
}
