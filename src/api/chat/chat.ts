/** Chat completions: chunks and whole replies (spec 2.3; events of the public format). */
import { isRecord, listOf, numberOf, recordOf, textOf, type JsonRecord } from '../../lib/json.js';
import { DeltaTemplate } from './delta-template.js';
import { parseEvent, refuseError } from './event-json.js';
import { noAnswer, type AnswerListener, type EventDecoder, type Usage } from './listener.js';
import { ToolIndex } from './tool-index.js';

/** Tells a listener the events of one stream of the chat format, in their order. */
export function decodeChat(listener: AnswerListener): EventDecoder {
  const template = new DeltaTemplate();
  const tools = new ToolIndex();
  const decoder: EventDecoder = {
    isTerminated: false,
    isFinished: false,
    event: (name, data) => {
      const repeated = name === undefined ? template.read(data) : undefined;
      if (repeated !== undefined) {
        listener.text(repeated);
        return;
      }
      if (data.trim() === '[DONE]') {
        decoder.isTerminated = true;
        return;
      }
      const chunk = parseEvent(name, data);
      refuseError(name, chunk);
      listener.about({ id: textOf(chunk['id']), model: textOf(chunk['model']) });
      if (isRecord(chunk['usage'])) listener.usage(usageOf(chunk['usage']));
      const choice = firstChoice(chunk);
      const delta = recordOf(choice['delta']);
      tellMessage(delta, listener, tools);
      const reason = textOf(choice['finish_reason']);
      if (reason) {
        decoder.isFinished = true;
        listener.finish(reason);
      }
      if (isOnlyText(delta, chunk, reason)) template.learn(data, 'content', delta['content']);
    },
  };
  return decoder;
}

/** Tells a whole reply; @throws StreamFault when it is none. */
export function tellChatReply(reply: JsonRecord, listener: AnswerListener): void {
  const choice = firstChoice(reply);
  const message = choice['message'];
  if (!isRecord(message)) throw noAnswer();
  listener.about({ id: textOf(reply['id']), model: textOf(reply['model']) });
  tellMessage(message, listener, new ToolIndex());
  if (isRecord(reply['usage'])) listener.usage(usageOf(reply['usage']));
  listener.finish(textOf(choice['finish_reason']) ?? 'stop');
}

/** Only one answer is ever asked for; a service that sends more has them at higher indices. */
function firstChoice(holder: JsonRecord): JsonRecord {
  const choices = listOf(holder['choices']).filter(isRecord);
  return choices.find((choice) => (choice['index'] ?? 0) === 0) ?? {};
}

/** A chunk that brings text and nothing else that a repetition would have to tell again. */
function isOnlyText(
  delta: JsonRecord,
  chunk: JsonRecord,
  reason: string | undefined,
): delta is JsonRecord & { content: string } {
  return (
    typeof delta['content'] === 'string' &&
    delta['content'] !== '' &&
    !reason &&
    !chunk['usage'] &&
    !delta['tool_calls'] &&
    !reasoningOf(delta) &&
    !delta['refusal']
  );
}

function tellMessage(message: JsonRecord, listener: AnswerListener, tools: ToolIndex): void {
  const reasoning = reasoningOf(message);
  if (reasoning) listener.reasoning(reasoning);
  const text = contentOf(message['content']) + (textOf(message['refusal']) ?? '');
  if (text !== '') listener.text(text);
  for (const [place, call] of listOf(message['tool_calls']).filter(isRecord).entries()) {
    const named = recordOf(call['function']);
    const piece = {
      index: numberOf(call['index']),
      id: textOf(call['id']),
      name: textOf(named['name']),
      arguments: argumentsOf(named['arguments']),
    };
    listener.tool({ ...piece, index: tools.of(piece, place === 0) });
  }
}

/** Vendors name it one way or the other. */
function reasoningOf(message: JsonRecord): string {
  return textOf(message['reasoning_content']) ?? textOf(message['reasoning']) ?? '';
}

/** Text, or the text of content blocks. */
function contentOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((block) => textOf(recordOf(block)['text']) ?? '')
    .join('');
}

/** Some services send the arguments as an object, not as its JSON. */
function argumentsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return isRecord(value) ? JSON.stringify(value) : '';
}

function usageOf(usage: JsonRecord): Usage {
  return {
    inputTokens: numberOf(usage['prompt_tokens']),
    outputTokens: numberOf(usage['completion_tokens']),
    reasoningTokens: numberOf(recordOf(usage['completion_tokens_details'])['reasoning_tokens']),
    totalTokens: numberOf(usage['total_tokens']),
  };
}
