/** local/script: answers from a file of rules, so that test suites can play any service. */
import { statSync } from 'node:fs';
import type { Clock } from '../../lib/clock.js';
import { fitsPattern, TimeLimitError } from '../../lib/time-limit.js';
import { ServiceFailure } from '../failure.js';
import { closingToolResults, lastUserText } from './prompts.js';
import {
  patternOf,
  readScript,
  ScriptError,
  type ScriptFailure,
  type ScriptMatch,
  type ScriptRule,
} from './script-file.js';
import { callEach } from './tools.js';
import type { Draft, Engine, Prompt, ToolCallBlock } from './types.js';

/**
 * Makes the engine. The file is read at the first call and again whenever it has changed;
 * `times` counts from the start of the service or the last change.
 */
export function scriptEngine(path: string | undefined, clock: Clock): Engine {
  let stamp: string | undefined;
  let rules: Counted[] = [];
  return async (prompt, signal) => {
    const now = stampOf(path);
    if (now !== stamp) {
      rules = readRules(path).map((rule) => ({ rule, left: rule.times ?? Infinity }));
      stamp = now;
    }
    const found = findRule(rules, prompt);
    if (!found) throw noRule(prompt);
    found.left -= 1;
    const { rule } = found;
    if (rule.delayMs) await clock.sleep(rule.delayMs, signal);
    return draftOf(rule, prompt);
  };
}

interface Counted {
  readonly rule: ScriptRule;
  left: number;
}

/** How long the expressions of a script may take over one message. */
const matchLimitMs = 1000;

function findRule(rules: readonly Counted[], prompt: Prompt): Counted | undefined {
  const untilMs = performance.now() + matchLimitMs;
  return rules.find(({ rule, left }, i) => {
    try {
      return left > 0 && fits(rule.match, prompt, untilMs);
    } catch (error) {
      if (!(error instanceof TimeLimitError)) throw error;
      throw new ServiceFailure(
        400,
        'script_too_slow',
        `the regular expression of the script's rules[${i}] takes too long on this message`,
      );
    }
  });
}

function stampOf(path: string | undefined): string {
  const stats = path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
  return stats ? `${stats.mtimeMs} ${stats.size} ${stats.ino}` : 'none';
}

function readRules(path: string | undefined): readonly ScriptRule[] {
  if (path === undefined) {
    throw new ServiceFailure(
      400,
      'script_missing',
      'local/script has no script: name one with SVC_LOCAL_SCRIPT, or start svc serve with --script FILE',
    );
  }
  try {
    return readScript(path);
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    throw new ServiceFailure(400, 'script_invalid', error.message);
  }
}

function noRule(prompt: Prompt): ServiceFailure {
  const text = JSON.stringify(lastUserText(prompt).slice(0, 80));
  return new ServiceFailure(
    400,
    'script_no_match',
    `no rule of the script matches the message ${text}; a last rule without "match" takes the rest`,
  );
}

function fits(match: ScriptRule['match'], prompt: Prompt, untilMs: number): boolean {
  if (match === undefined) return true;
  const text = lastUserText(prompt);
  if (typeof match === 'string') return text.includes(match);
  const last = closingToolResults(prompt).length > 0 ? 'tool' : 'user';
  const pattern = patternOf(match);
  const turns = prompt.turns.filter(({ role }) => role === 'user').length;
  return (
    same(match.text, text) &&
    (match.contains === undefined || text.includes(match.contains)) &&
    (!pattern || fitsPattern(pattern, text, untilMs - performance.now())) &&
    (match.system === undefined || prompt.system.join('\n').includes(match.system)) &&
    fitsModel(match, prompt.model) &&
    same(match.format, prompt.format) &&
    same(match.stream, prompt.stream) &&
    same(match.last, last) &&
    same(match.turn, turns)
  );
}

function same<Value>(wanted: Value | undefined, value: Value): boolean {
  return wanted === undefined || wanted === value;
}

function fitsModel({ model }: ScriptMatch, asked: string): boolean {
  if (model === undefined) return true;
  const wanted = longForm(model);
  const name = longForm(asked);
  return wanted === name || (!wanted.includes(':') && name.startsWith(`${wanted}:`));
}

function longForm(name: string): string {
  return name.includes('/') ? name : `local/${name}`;
}

async function draftOf(rule: ScriptRule, prompt: Prompt): Promise<Draft> {
  const { reply, error, cut, chunkSize, chunkDelayMs } = rule;
  const failure = error && failureOf(error);
  // A stream that has begun can only break; anything else is refused as a whole.
  if (failure && (reply === undefined || !prompt.stream)) throw failure;
  const calls = await Promise.all(
    [...(rule.toolCall ? [rule.toolCall] : []), ...(rule.toolCalls ?? [])].map((call) =>
      callOf(call, prompt),
    ),
  );
  const text = typeof reply === 'string' ? reply : JSON.stringify(reply);
  return {
    reasoning: prompt.reasoning.mode === 'off' ? '' : (rule.reasoning ?? ''),
    blocks: [...(reply === undefined ? [] : [{ type: 'text' as const, text }]), ...calls.flat()],
    pace: { chunkSize, chunkDelayMs, failure, cut: cut === true ? 'drop' : cut },
  };
}

type Call = NonNullable<ScriptRule['toolCall']>;

async function callOf(call: Call, prompt: Prompt): Promise<Omit<ToolCallBlock, 'id'>[]> {
  const { name, arguments: given } = call;
  if (given !== undefined) return [{ type: 'toolCall', name, json: JSON.stringify(given) }];
  const tool = prompt.tools.find((offered) => offered.name === name);
  return callEach([tool ?? { name, parameters: { type: 'object' } }]);
}

function failureOf({ status = 500, code, message, retryAfter }: ScriptFailure): ServiceFailure {
  return new ServiceFailure(
    status,
    code ?? 'scripted_error',
    message ?? `the script answers with status ${status}`,
    retryAfter === undefined ? {} : { headers: { 'retry-after': String(retryAfter) } },
  );
}
