/** Writes answers in the responses format. */
import { eventsOf } from '../engines/plan.js';
import type { Event, Plan, TokenUsage } from '../engines/types.js';
import { failureType } from '../failure.js';
import { namedFrame, type Frame, type Head, type Writer } from './format.js';
import {
  callItem,
  functionCallFrames,
  messageFrames,
  messageItem,
  reasoningFrames,
  reasoningItem,
  type Item,
  type ItemWriter,
} from './responses-items.js';

export interface ResponsesSettings {
  readonly showsReasoning: boolean;
  /** Fields of the reply that repeat the request. */
  readonly echoed: Readonly<Record<string, unknown>>;
}

/** A writer for one request. */
export function responsesWriter(settings: ResponsesSettings): Writer {
  return {
    complete: (plan, head) => finished(head, settings, plan, itemsOf(plan, head, settings)),
    stream: (plan, head) => stream(plan, head, settings),
  };
}

/** The output of a whole answer. */
function itemsOf(plan: Plan, head: Head, { showsReasoning }: ResponsesSettings): Item[] {
  const status = plan.finish === 'length' ? 'incomplete' : 'completed';
  const items: Item[] = [];
  if (plan.reasoning !== '') {
    items.push(reasoningItem(head.id, 0, showsReasoning ? plan.reasoning : ''));
  }
  for (const block of plan.blocks) {
    items.push(
      block.type === 'text'
        ? messageItem(head.id, items.length, block.text, status)
        : callItem(block, 'completed'),
    );
  }
  return items;
}

function* stream(plan: Plan, head: Head, settings: ResponsesSettings): Generator<Frame> {
  let sequence = 0;
  const send = (type: string, rest: object): Frame =>
    namedFrame(type, { sequence_number: sequence++, ...rest });
  const started = { response: response(head, settings, { status: 'in_progress', output: [] }) };
  yield send('response.created', started);
  yield send('response.in_progress', started);

  const output: Item[] = [];
  let open: { kind: 'reasoning' | 'text' | 'toolCall'; writer: ItemWriter } | undefined;
  function* close(status: 'completed' | 'incomplete'): Generator<Frame> {
    if (!open) return;
    output.push(yield* open.writer.end(status));
    open = undefined;
  }
  function* write(event: Delta): Generator<Frame> {
    const kind = event.type === 'toolArguments' ? 'toolCall' : event.type;
    if (event.type === 'toolCall' || open?.kind !== kind) {
      yield* close('completed');
      open = { kind, writer: writerFor(event, output.length) };
      yield* open.writer.start();
    }
    if (event.type === 'toolArguments') yield* open.writer.add(event.json);
    else if (event.type !== 'toolCall') yield* open.writer.add(event.text);
  }
  const writerFor = (event: Delta, index: number): ItemWriter => {
    if (event.type === 'reasoning') {
      return reasoningFrames(send, head.id, index, settings.showsReasoning);
    }
    if (event.type === 'text') return messageFrames(send, head.id, index);
    if (event.type === 'toolCall') return functionCallFrames(send, event, index);
    throw new Error('arguments of a tool call came before the call');
  };

  for (const event of eventsOf(plan)) {
    switch (event.type) {
      case 'pause':
        yield event;
        break;
      case 'cut':
        yield event;
        return;
      case 'failure':
        yield send('error', failureFields(event.failure));
        return;
      case 'finish': {
        const length = event.reason === 'length';
        yield* close(length ? 'incomplete' : 'completed');
        yield send(length ? 'response.incomplete' : 'response.completed', {
          response: finished(head, settings, plan, output),
        });
        break;
      }
      case 'usage':
        // It went out with the finished response.
        break;
      default:
        yield* write(event);
    }
  }
}

type Delta = Extract<Event, { type: 'reasoning' | 'text' | 'toolCall' | 'toolArguments' }>;
type Failure = Extract<Event, { type: 'failure' }>['failure'];

/** Clients read either the flat fields or the nested ones; some notice only the nested. */
function failureFields({ status, code, message, details }: Failure): object {
  const { param = null } = details;
  return { code, message, param, error: { type: failureType(status), code, message, param } };
}

function finished(
  head: Head,
  settings: ResponsesSettings,
  plan: Plan,
  output: readonly Item[],
): object {
  const incomplete = plan.finish === 'length';
  return response(head, settings, {
    status: incomplete ? 'incomplete' : 'completed',
    incomplete_details: incomplete ? { reason: 'max_output_tokens' } : undefined,
    output,
    usage: usageOf(plan.usage),
  });
}

function response(head: Head, settings: ResponsesSettings, state: object): object {
  return {
    id: `resp_${head.id}`,
    object: 'response',
    created_at: Math.floor(head.createdAtMs / 1000),
    model: head.model,
    ...settings.echoed,
    ...state,
  };
}

function usageOf({ inputTokens, outputTokens, reasoningTokens }: TokenUsage): object {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  };
}
