/** local/script: answers from a file of rules; docs/manual/5-offline.md describes each field. */
import { readFileSync, statSync } from 'node:fs';
import * as z from 'zod/mini';
import { chatFormats } from '../../contract/enums.js';
import { explain } from '../../contract/explain.js';
import type { Clock } from '../../lib/clock.js';
import { jsonFault, parseJson, toJson, withAllDigits } from '../../lib/json.js';
import { TimeLimitError, withinTime } from '../../lib/time-limit.js';
import { badRequest, messageOf, ServiceFailure } from '../failure.js';
import { callEach } from './answers.js';
import { closingToolResults, lastUserText } from './prompts.js';
import type { AnswerDraft, Engine, Prompt } from './engine.js';

const DelayMs = z.int().check(z.gte(0), z.lte(600_000));

const Match = z.strictObject({
  text: z.optional(z.string()),
  contains: z.optional(z.string()),
  regex: z.optional(z.string()),
  flags: z.optional(z.string()),
  system: z.optional(z.string()),
  /** The requested model; without `:variant`, any variant matches. */
  model: z.optional(z.string()),
  format: z.optional(z.enum(chatFormats)),
  stream: z.optional(z.boolean()),
  last: z.optional(z.enum(['user', 'tool'])),
  turn: z.optional(z.int().check(z.gte(1))),
});

const ToolCall = z.strictObject({
  name: z.string().check(z.minLength(1)),
  arguments: z.optional(z.looseRecord(z.string(), z.unknown())),
});

const Failure = z.strictObject({
  status: z.optional(z.int().check(z.gte(400), z.lte(599))),
  code: z.optional(z.string()),
  message: z.optional(z.string()),
  /** Seconds, or an HTTP date. */
  retryAfter: z.optional(
    z.union([z.number().check(z.gte(0)), z.string().check(z.regex(/^[\x20-\x7e]+$/))]),
  ),
});

const Rule = z.strictObject({
  /** A text in the last user message, or conditions; without it, the rule always matches. */
  match: z.optional(z.union([z.string(), Match])),
  times: z.optional(z.int().check(z.gte(1))),
  /** Text, or any JSON, which is sent as text. */
  reply: z.optional(z.unknown()),
  toolCall: z.optional(ToolCall),
  toolCalls: z.optional(z.array(ToolCall).check(z.minLength(1))),
  /** Replaces the answer; after a `reply`, it breaks the stream. */
  error: z.optional(Failure),
  reasoning: z.optional(z.string()),
  delayMs: z.optional(DelayMs),
  chunkDelayMs: z.optional(DelayMs),
  chunkSize: z.optional(z.int().check(z.gte(1))),
  /** The connection drops (`true` or `drop`), or the body ends without its terminator (`end`). */
  cut: z.optional(z.union([z.literal(true), z.enum(['drop', 'end'])])),
});

const Script = z.strictObject({ rules: z.array(Rule).check(z.minLength(1)) });

type Rule = z.output<typeof Rule>;
type Match = z.output<typeof Match>;

interface RuleState {
  readonly rule: Rule;
  left: number;
}

/** Reads the file again after each change, which also resets `times`. */
export function scriptEngine(path: string | undefined, clock: Clock): Engine {
  let stamp: string | undefined;
  let rules: RuleState[] = [];
  return async (prompt, request) => {
    const stats = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
    const now = stats ? `${stats.mtimeMs} ${stats.size} ${stats.ino}` : 'none';
    if (now !== stamp) {
      rules = readScript(path).map((rule) => ({ rule, left: rule.times ?? Infinity }));
      stamp = now;
    }
    const state = findRule(rules, prompt);
    state.left -= 1;
    const { rule } = state;
    if (rule.delayMs) await clock.sleep(rule.delayMs, request.signal);
    return draftOf(rule, prompt);
  };
}

export function readScript(path: string | undefined): readonly Rule[] {
  if (path === undefined) {
    const message =
      'local/script has no script: set SVC_LOCAL_SCRIPT, or start svc serve with --script FILE';
    throw badRequest(message, undefined, 'script_missing');
  }
  const invalid = (what: string) =>
    badRequest(`the script ${path}${what}`, undefined, 'script_invalid');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    throw invalid(` cannot be read: ${messageOf(error)}`);
  }
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw invalid(` is not JSON${jsonFault(text, error)}`);
  }
  const parsed = Script.safeParse(value);
  if (!parsed.success) throw invalid(`: ${explain(parsed.error, value, 'the script')}`);
  for (const [i, rule] of parsed.data.rules.entries()) {
    const fault = faultOf(rule);
    if (fault) throw invalid(`: rules[${i}] ${fault}`);
  }
  return withAllDigits(parsed.data, value).rules;
}

function faultOf({ reply, toolCall, toolCalls, error, cut, match }: Rule): string | undefined {
  const hasCall = toolCall ?? toolCalls;
  if (toolCall && toolCalls) return 'has both toolCall and toolCalls';
  if (reply === undefined && !hasCall && !error && !cut) {
    return 'has no answer: it needs reply, toolCall, toolCalls, error or cut';
  }
  if (error && cut) return 'has both error and cut';
  if (error && hasCall) return 'has both an error and a tool call';
  const { regex, flags } = typeof match === 'object' ? match : {};
  if (regex === undefined) return flags === undefined ? undefined : 'has match.flags without regex';
  try {
    patternOf({ regex, flags });
    return undefined;
  } catch (error) {
    return `has an invalid match.regex: ${error instanceof Error ? error.message : 'invalid'}`;
  }
}

function patternOf({ regex, flags }: Match): RegExp | undefined {
  // With the flags g and y, an answer would depend on the previous one.
  return regex === undefined ? undefined : new RegExp(regex, (flags ?? '').replace(/[gy]/g, ''));
}

const matchLimitMs = 1000;

function findRule(rules: readonly RuleState[], prompt: Prompt): RuleState {
  let at = 0;
  let state: RuleState | undefined;
  try {
    state = withinTime(matchLimitMs, () =>
      rules.find(({ rule, left }, i) => {
        at = i;
        return left > 0 && fits(rule.match, prompt);
      }),
    );
  } catch (error) {
    const what = `the regular expression of the script's rules[${at}]`;
    if (error instanceof TimeLimitError) {
      throw new ServiceFailure(503, 'script_too_slow', `${what} timed out on this message`);
    }
    if (!(error instanceof RangeError)) throw error;
    throw badRequest(`${what} is too large to run`, undefined, 'script_too_large');
  }
  if (state) return state;
  const text = JSON.stringify(lastUserText(prompt).slice(0, 80));
  const message = `no rule of the script matches the message ${text}; add a last rule without "match"`;
  throw badRequest(message, undefined, 'script_no_match');
}

function fits(match: Rule['match'], prompt: Prompt): boolean {
  if (match === undefined) return true;
  const text = lastUserText(prompt);
  if (typeof match === 'string') return text.includes(match);
  const same = <Value>(expected: Value | undefined, value: Value) => (expected ?? value) === value;
  return (
    same(match.text, text) &&
    (match.contains === undefined || text.includes(match.contains)) &&
    (patternOf(match)?.test(text) ?? true) &&
    (match.system === undefined || prompt.system.join('\n').includes(match.system)) &&
    fitsModel(match, prompt.model) &&
    same(match.format, prompt.format) &&
    same(match.stream, prompt.stream) &&
    same(match.last, closingToolResults(prompt).length > 0 ? 'tool' : 'user') &&
    same(match.turn, prompt.turns.filter(({ role }) => role === 'user').length)
  );
}

function fitsModel({ model }: Match, requested: string): boolean {
  if (model === undefined) return true;
  const full = (name: string) => (name.includes('/') ? name : `local/${name}`);
  const [expected, name] = [full(model), full(requested)];
  return expected === name || (!expected.includes(':') && name.startsWith(`${expected}:`));
}

async function draftOf(rule: Rule, prompt: Prompt): Promise<AnswerDraft> {
  const { reply, error, cut, chunkSize, chunkDelayMs } = rule;
  const { status = 500, code = 'scripted_error', retryAfter } = error ?? {};
  const message = error?.message ?? `the script answers with status ${status}`;
  const details = retryAfter === undefined ? {} : { headers: { 'retry-after': `${retryAfter}` } };
  const failure = error && new ServiceFailure(status, code, message, details);
  // A started stream can only break; anything else is refused.
  if (failure && (reply === undefined || !prompt.stream)) throw failure;
  const calls: AnswerDraft['blocks'][number][] = [];
  const toolCalls = rule.toolCall ? [rule.toolCall] : (rule.toolCalls ?? []);
  for (const { name, arguments: values } of toolCalls) {
    const tool = prompt.tools.find((offered) => offered.name === name);
    if (values !== undefined) calls.push({ type: 'toolCall', name, json: toJson(values) });
    else calls.push(...(await callEach([tool ?? { name, parameters: undefined }])));
  }
  const text = typeof reply === 'string' ? reply : toJson(reply);
  return {
    reasoning: prompt.reasoning.mode === 'off' ? '' : (rule.reasoning ?? ''),
    blocks: [...(reply === undefined ? [] : [{ type: 'text' as const, text }]), ...calls],
    pace: { chunkSize, chunkDelayMs, failure, cut: cut === true ? 'drop' : cut },
  };
}
