/** Runs the tools that an answer calls: checked, approved, and none twice. */
import type { ToolCallPart } from '../api/chat/conversation.js';
import type { ToolResultPart } from '../api/chat/question.js';
import type { Context } from '../context.js';
import { TimeoutError } from '../errors.js';
import { inTime } from '../http/deadline.js';
import { isRecord, toJson, type JsonRecord } from '../lib/json.js';
import { hidden, plainText } from '../lib/plain-text.js';
import { faultsOf } from '../lib/schema-faults.js';
import type { ToolResult } from '../tools/tool.js';
import { argumentsIn, eventLine } from './answer-json.js';
import type { Conversation } from './conversation.js';
import type { ToolUse } from './tool-use.js';

/** One answer may name thousands of calls; further ones are refused. */
const maxCalls = 32;

/** A call as --json prints it. */
export interface CallRecord {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
  readonly isError: boolean;
}

/** What runs an approved call, or the result of one that is not run. */
type Prepared = ToolResult | (() => Promise<ToolResult>);

/** Asks about one call after the other, then runs them side by side. @param onCall gets each */
export async function runCalls(
  context: Context,
  { conversation, use }: { readonly conversation?: Conversation; readonly use: ToolUse },
  calls: readonly ToolCallPart[],
  onCall: (call: CallRecord) => void,
): Promise<ToolResultPart[]> {
  const { flags, out } = context;
  const started = await conversation?.startedCalls();
  const prepared: Prepared[] = [];
  for (const [place, call] of calls.entries()) {
    if (started?.earlier.has(place)) prepared.push(started.earlier.get(place) ?? unknownResult);
    else if (place >= maxCalls) prepared.push(refusal(`More than ${maxCalls} calls at once.`));
    else prepared.push(await prepare(context, use, call));
  }
  let results: readonly ToolResult[];
  try {
    started?.start([...prepared.keys()].filter((place) => typeof prepared[place] === 'function'));
    results = await Promise.all(
      prepared.map(async (start, place) => {
        if (typeof start !== 'function') return start;
        const result = await start().catch((error: unknown) => {
          if (error instanceof TimeoutError) {
            return refusal('This call was stopped: it took too long.');
          }
          if (context.signal.aborted) return refusal('The user stopped this call.');
          throw error;
        });
        started?.keep(place, result);
        return result;
      }),
    );
  } finally {
    started?.release();
  }
  const parts: ToolResultPart[] = [];
  for (const [place, { id, name, arguments: json }] of calls.entries()) {
    const { text, isError } = results[place] ?? unknownResult;
    const result = { type: 'tool_result', id, text, isError } as const;
    parts.push(result);
    onCall({ id, name, arguments: argumentsIn(json), isError });
    if (use.events) await out.text(eventLine({ ...result, name }, out.isScreen));
    else if (isError && !flags.json) out.dim(plainText(`${name}: ${text}`, 300));
  }
  return parts;
}

const refusal = (text: string): ToolResult => ({ text, isError: true });

const unknownResult = refusal(
  'This call was started before, and svc was ended before its result came: it may have run.',
);

/** A stopped call is not run again: it may have changed something, and others may have ended. */
async function prepare(context: Context, use: ToolUse, call: ToolCallPart): Promise<Prepared> {
  const { flags, out } = context;
  const { name } = call;
  const tool = use.tools.find((one) => one.name === name);
  if (!tool) return refusal(`There is no tool ${plainText(name, 100)}.`);
  const args = argumentsIn(call.arguments);
  if (!isRecord(args)) return refusal('The arguments are not a JSON object.');
  const faults = faultsIn(args, tool.parameters);
  if (!faults) return refusal('The check of the arguments timed out.');
  if (faults[0]) return refusal(`The arguments do not fit: ${faults.join(', ')}.`);
  const shown = `${name} ${visible(toJson(args))}`;
  const isQuestion = use.approve === 'ask' && !use.approved.has(name);
  if (isQuestion) out.error(shown);
  const choice = isQuestion ? await use.ask(name) : use.approve;
  if (choice === 'no' || choice === 'never' || choice === undefined) {
    return refusal('The user did not allow this call.');
  }
  if (isQuestion && choice === 'always') use.approved.add(name);
  if (!isQuestion && !flags.json) out.dim(plainText(shown, 300));
  return () => inTime(context, (late) => tool.run(args, late));
}

function faultsIn(args: JsonRecord, parameters: JsonRecord) {
  const schema = { ...parameters, $schema: undefined, $async: undefined };
  return faultsOf((ajv) => {
    try {
      ajv.compile(schema);
    } catch {
      // That of a server, which checks the arguments itself.
      return true;
    }
    return ajv.validate(schema, args);
  }, 'the object of arguments');
}

/** Escapes what a terminal would not show. */
function visible(json: string): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return json.replace(hidden(), (character) => character.replace(/[^]/g, escaped));
}
