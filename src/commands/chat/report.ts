/** What is told of an answer besides its text: for people one dim line, for programs an object. */
import type { Answer, ToolCall } from '../../api/chat/answer.js';
import type { Cost } from '../../api/cost.js';
import { weigh } from '../../api/json-reply.js';
import { formatRub } from '../../lib/amounts.js';
import type { Found } from './search.js';

/** Of the answer, and of the search before it. */
export interface ChatCost extends Cost {
  searchRub?: number;
}

/** `12 in, 34 out tokens · 0.0123 RUB · balance 999.99 RUB`; empty when nothing is known. */
export function costLine(answer: Answer, cost: ChatCost): string {
  const { inputTokens, outputTokens } = answer.usage ?? {};
  const parts = [];
  if (inputTokens !== undefined || outputTokens !== undefined) {
    parts.push(`${String(inputTokens ?? '?')} in, ${String(outputTokens ?? '?')} out tokens`);
  }
  if (cost.priceRub !== undefined) parts.push(formatRub(cost.priceRub));
  if (cost.searchRub !== undefined) parts.push(`search ${formatRub(cost.searchRub)}`);
  if (cost.balanceRub !== undefined) parts.push(`balance ${formatRub(cost.balanceRub)}`);
  return parts.join(' · ');
}

/** Why the answer ended, when it did not end by itself. */
export function endNote(finishReason: string | undefined): string | undefined {
  switch (finishReason) {
    case 'length':
    case 'max_tokens':
    case 'max_output_tokens':
    case 'incomplete':
      return 'the answer reached its token limit; --max-tokens raises it';
    case 'content_filter':
      return 'the answer was stopped by a content filter';
    case 'refusal':
      return 'the model refused to answer';
    default:
      return undefined;
  }
}

/** A tool call for programs: the arguments as JSON where they are JSON. */
export function toolCallJson(call: ToolCall): unknown {
  return { id: call.id, name: call.name, arguments: parsed(call.arguments) };
}

function parsed(text: string): unknown {
  if (text.trim() === '') return {};
  const { values, depth } = weigh(Buffer.from(text));
  // Nested so deeply, its indentation would be far more than itself.
  if (values * depth > 4 * text.length + 1000) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export interface Told {
  answer: Answer;
  cost: ChatCost;
  ids: Readonly<Record<string, string>>;
  /** What was searched for, and came of it. */
  found?: Found;
  /** False when the answer broke off. */
  complete: boolean;
}

/** The object of --json, and of the last event of --events. */
export function answerJson({ answer, cost, ids, found, complete }: Told): Record<string, unknown> {
  return {
    id: answer.id,
    model: answer.model,
    text: answer.text,
    reasoning: answer.reasoning,
    toolCalls: answer.toolCalls.map(toolCallJson),
    finishReason: answer.finishReason,
    complete,
    usage: answer.usage,
    search: found && { query: found.query, results: found.results },
    cost,
    ids,
    raw: answer.rest && parsed(JSON.stringify(answer.rest)),
  };
}
