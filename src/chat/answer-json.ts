/** An answer as --json prints it, and its facts in words. */
import type { Answer, ToolCall } from '../api/chat/answer.js';
import { jsonOrText, type Usage } from '../api/chat/pieces.js';
import { costJson } from '../api/cost.js';
import { sumRub } from '../lib/amounts.js';
import { toJson } from '../lib/json.js';
import { weigh } from '../lib/json-weight.js';
import { sanitiseJson } from '../terminal/screen.js';
import type { CostTexts } from '../texts/cost.js';
import type { TurnEnd } from './view.js';

export function answerJson(answer: Answer, end: TurnEnd, complete: boolean) {
  const { id, model, text, reasoning, toolCalls, finishReason, usage, rest } = answer;
  const { cost, ids, search, logged, repaired, earlier } = end;
  // The price of an answer is that of its search too.
  const { priceRub, searchRub = 0 } = cost;
  const whole =
    priceRub === undefined ? cost : { ...cost, priceRub: sumRub([priceRub, searchRub]) };
  return {
    id,
    model,
    text,
    reasoning,
    toolCalls: toolCalls.map(toolCallJson),
    finishReason,
    complete,
    repaired,
    usage: usageSum(earlier?.usage, usage),
    search: search && { query: search.query, results: search.results },
    ...costJson(whole),
    ids,
    raw: rest && argumentsIn(toJson(rest)),
    turns: earlier && earlier.turns + 1,
    calls: earlier?.calls,
    ...logged,
  };
}

/** A tool call, with its arguments as a value where they are JSON. */
export function toolCallJson(call: ToolCall): unknown {
  return { id: call.id, name: call.name, arguments: argumentsIn(call.arguments) };
}

/** JSON as a value, unless it is deeply nested; another text unchanged. */
export function argumentsIn(text: string): unknown {
  if (text.trim() === '') return {};
  const { values, depth } = weigh(Buffer.from(text));
  // The indentation of deeply nested JSON would be much larger than its content.
  if (values * depth > 4 * text.length + 1000) return text;
  return jsonOrText(text);
}

/** A line of JSON; on a terminal its control characters are escaped. */
export function eventLine(event: unknown, isTerminal: boolean): string {
  const json = toJson(event);
  return `${isTerminal ? sanitiseJson(json) : json}\n`;
}

/** The counts of two answers. */
export function usageSum(one?: Usage, other?: Usage): Usage | undefined {
  if (!one || !other) return one ?? other;
  const before: Readonly<Record<string, number | undefined>> = one;
  const sums = Object.entries(other).map(
    ([name, count]) => [name, count + (before[name] ?? 0)] as const,
  );
  return { ...one, ...Object.fromEntries(sums) };
}

/** `10 in, 20 out tokens`; empty when none were counted. */
export function tokenWords(
  { inputTokens, outputTokens }: Usage | undefined = {},
  { tokens }: Pick<CostTexts, 'tokens'>,
): string[] {
  if (inputTokens === undefined && outputTokens === undefined) return [];
  return [tokens(inputTokens ?? '?', outputTokens ?? '?')];
}

/** Why an answer ended before its end, where its reason says so. */
export function endNote(reason = ''): string | undefined {
  if (reason === 'content_filter') return 'a content filter stopped the answer';
  if (reason === 'refusal') return 'the model refused to answer';
  return /^(length|max_tokens|max_output_tokens|incomplete)$/.test(reason)
    ? 'the answer reached its token limit; --max-tokens raises it'
    : undefined;
}
