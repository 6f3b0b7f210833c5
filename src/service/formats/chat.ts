/** Writes answers in the chat completions format. */
import { eventsOf } from '../engines/plan.js';
import type { Event, FinishReason, Plan, TokenUsage } from '../engines/types.js';
import { failureBody } from '../failure.js';
import { dataFrame, type Frame, type Head, type Writer } from './format.js';

const finishReasons: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  stopSequence: 'stop',
  length: 'length',
  toolCalls: 'tool_calls',
};

/** @param includeUsage whether a stream ends with a chunk that holds the usage */
export function chatWriter(includeUsage: boolean): Writer {
  return { complete, stream: (plan, head) => stream(plan, head, includeUsage) };
}

function complete(plan: Plan, head: Head): unknown {
  const text = plan.blocks.map((block) => (block.type === 'text' ? block.text : '')).join('');
  const calls = plan.blocks.flatMap((block) =>
    block.type === 'toolCall'
      ? [
          {
            id: callId(block.id),
            type: 'function',
            function: { name: block.name, arguments: block.json },
          },
        ]
      : [],
  );
  const message = {
    role: 'assistant',
    content: calls.length > 0 && text === '' ? null : text,
    ...(plan.reasoning === '' ? {} : { reasoning_content: plan.reasoning }),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  return {
    ...envelope(head, 'chat.completion'),
    choices: [{ index: 0, message, finish_reason: finishReasons[plan.finish] }],
    usage: usageOf(plan.usage),
  };
}

function* stream(plan: Plan, head: Head, includeUsage: boolean): Generator<Frame> {
  const base = envelope(head, 'chat.completion.chunk');
  const chunk = (delta: object, finish: string | null = null): Frame =>
    dataFrame({
      ...base,
      choices: [{ index: 0, delta, finish_reason: finish }],
      ...(includeUsage ? { usage: null } : {}),
    });
  yield chunk({ role: 'assistant', content: '' });
  let calls = 0;
  for (const event of eventsOf(plan)) {
    if (event.type === 'toolCall') calls += 1;
    switch (event.type) {
      case 'pause':
        yield event;
        break;
      case 'cut':
        yield event;
        return;
      case 'failure':
        yield dataFrame(failureBody('chat', event.failure, head.requestId));
        return;
      case 'finish':
        yield chunk({}, finishReasons[event.reason]);
        break;
      case 'usage':
        if (includeUsage) yield dataFrame({ ...base, choices: [], usage: usageOf(event.usage) });
        break;
      default:
        yield chunk(deltaOf(event, calls - 1));
    }
  }
  yield { type: 'text', text: 'data: [DONE]\n\n' };
}

type Delta = Extract<Event, { type: 'reasoning' | 'text' | 'toolCall' | 'toolArguments' }>;

function deltaOf(event: Delta, index: number): object {
  switch (event.type) {
    case 'reasoning':
      return { reasoning_content: event.text };
    case 'text':
      return { content: event.text };
    case 'toolCall': {
      const called = { name: event.name, arguments: '' };
      return { tool_calls: [{ index, id: callId(event.id), type: 'function', function: called }] };
    }
    case 'toolArguments':
      return { tool_calls: [{ index, function: { arguments: event.json } }] };
  }
}

function envelope({ id, model, createdAtMs }: Head, object: string) {
  return { id: `chatcmpl-${id}`, object, created: Math.floor(createdAtMs / 1000), model };
}

function callId(id: string): string {
  return `call_${id}`;
}

function usageOf({ inputTokens, outputTokens, reasoningTokens }: TokenUsage) {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}
