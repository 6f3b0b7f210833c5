/**
 * The file that local/script answers from: JSON, `{"rules": [rule, …]}`. The first rule that
 * matches answers; docs/manual/5-offline.md tells people of each field.
 */
import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { chatFormats } from '../../contract/enums.js';
import { explain } from '../../contract/explain.js';
import { jsonFault } from '../../lib/json.js';

/** The script cannot be used; the message names the file and the fault. */
export class ScriptError extends Error {
  override readonly name = 'ScriptError';
}

const DelayMs = z.int().check(z.gte(0), z.lte(600_000));

/** All that is given must hold. */
const Match = z.strictObject({
  /** The last user message is exactly this. */
  text: z.optional(z.string()),
  /** The last user message has this in it. */
  contains: z.optional(z.string()),
  /** The last user message fits this regular expression. */
  regex: z.optional(z.string()),
  /** Flags of `regex`, such as `i`. */
  flags: z.optional(z.string()),
  /** A system prompt has this in it. */
  system: z.optional(z.string()),
  /** Asked under this name; without `:variant` any variant will do. */
  model: z.optional(z.string()),
  format: z.optional(z.enum(chatFormats)),
  stream: z.optional(z.boolean()),
  /** What the conversation ends with. */
  last: z.optional(z.enum(['user', 'tool'])),
  /** How many user messages the conversation has. */
  turn: z.optional(z.int().check(z.gte(1))),
});

const ToolCall = z.strictObject({
  name: z.string().check(z.minLength(1)),
  /** Made up from the tool's schema when absent. */
  arguments: z.optional(z.record(z.string(), z.unknown())),
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
  /** A text that the last user message has in it, or conditions; absent, the rule always matches. */
  match: z.optional(z.union([z.string(), Match])),
  /** How often the rule may answer before it is passed over. */
  times: z.optional(z.int().check(z.gte(1))),
  /** Text, or any JSON, which is sent as text. */
  reply: z.optional(z.unknown()),
  toolCall: z.optional(ToolCall),
  toolCalls: z.optional(z.array(ToolCall).check(z.minLength(1))),
  /** In place of an answer; after a `reply`, the stream breaks with it. */
  error: z.optional(Failure),
  reasoning: z.optional(z.string()),
  /** Before the answer begins. */
  delayMs: z.optional(DelayMs),
  /** Between two pieces of a stream. */
  chunkDelayMs: z.optional(DelayMs),
  /** Characters in a piece. */
  chunkSize: z.optional(z.int().check(z.gte(1))),
  /** The line drops (`true` or `drop`), or the body ends without its terminator (`end`). */
  cut: z.optional(z.union([z.literal(true), z.enum(['drop', 'end'])])),
});

const Script = z.strictObject({ rules: z.array(Rule).check(z.minLength(1)) });

export type ScriptMatch = z.output<typeof Match>;
export type ScriptRule = z.output<typeof Rule>;
export type ScriptFailure = z.output<typeof Failure>;

/**
 * Reads and checks a script.
 * @throws ScriptError that names the file and the place of the first fault
 */
export function readScript(path: string): readonly ScriptRule[] {
  const text = readText(path);
  const value = valueIn(path, text);
  const parsed = Script.safeParse(value);
  if (!parsed.success) {
    throw new ScriptError(`the script ${path}: ${explain(parsed.error, value, 'the script')}`);
  }
  parsed.data.rules.forEach((rule, i) => {
    const trouble = ruleTrouble(rule);
    if (trouble) throw new ScriptError(`the script ${path}: rules[${i}] ${trouble}`);
  });
  return parsed.data.rules;
}

function readText(path: string): string {
  try {
    const bytes = readFileSync(path);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ScriptError(`the script ${path} cannot be read: ${why}`, { cause: error });
  }
}

function valueIn(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ScriptError(`the script ${path} is not JSON${jsonFault(text, error)}`);
  }
}

/** What a schema cannot say. */
function ruleTrouble(rule: ScriptRule): string | undefined {
  const { reply, toolCall, toolCalls, error, cut, match } = rule;
  if (toolCall && toolCalls) return 'has both toolCall and toolCalls';
  if (reply === undefined && !toolCall && !toolCalls && !error && !cut) {
    return 'says nothing: it needs reply, toolCall, toolCalls, error or cut';
  }
  if (error && cut) return 'has both error and cut';
  if (error && (toolCall || toolCalls)) return 'has both an error and a tool call';
  if (typeof match !== 'object') return undefined;
  if (match.flags !== undefined && match.regex === undefined)
    return 'has match.flags without regex';
  try {
    patternOf(match);
    return undefined;
  } catch (fault) {
    return `has a match.regex that is none: ${fault instanceof Error ? fault.message : 'invalid'}`;
  }
}

/** The regular expression of a match, if it has one. */
export function patternOf({ regex, flags }: ScriptMatch): RegExp | undefined {
  // The flags g and y would make one answer depend on the one before.
  return regex === undefined ? undefined : new RegExp(regex, (flags ?? '').replace(/[gy]/g, ''));
}
