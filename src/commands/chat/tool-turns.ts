/** A question whose answers may call tools: svc runs them and sends their results. */
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Usage } from '../../api/chat/pieces.js';
import { keptAnswer, type ToolCallPart } from '../../api/chat/conversation.js';
import type { ToolResultPart } from '../../api/chat/question.js';
import type { Client } from '../../api/client.js';
import type { Context } from '../../context.js';
import {
  ApiError,
  Incomplete,
  Pending,
  PriceTooHigh,
  TimeoutError,
  UsageError,
} from '../../errors.js';
import { inTime } from '../../http/deadline.js';
import { canAsk } from '../../jobs/job.js';
import { isRecord, toJson } from '../../lib/json.js';
import { hidden, plainText } from '../../lib/plain-text.js';
import { faultsOf } from '../../lib/schema-faults.js';
import { readTools, toolFile } from '../../tools/folder.js';
import type { connectMcp } from '../../tools/mcp.js';
import type { ToolResult } from '../../tools/tool.js';
import type { ChatInput } from './index.js';
import type { Session } from './session.js';
import { eventLine, parsed, usageSum, type End, type Show } from './show.js';
import { runTurn, type Turn } from './turn.js';

export type ToolUse = Awaited<ReturnType<typeof openTools>>;

const usualMaxTurns = 10;
/** One answer may name thousands of calls; further ones are refused. */
const mostCalls = 32;
const choices = [
  { value: 'no', name: 'No' },
  { value: 'yes', name: 'Yes' },
  { value: 'always', name: 'Yes, and do not ask again about this tool' },
];

/** What a conversation keeps of a server of --mcp. */
export const mcpSource = (commandLine: string) => `mcp:${commandLine}`;
const isMcp = (source: string) => source.startsWith(mcpSource(''));

export type McpServers = Map<string, Awaited<ReturnType<typeof connectMcp>>>;

/**
 * @param given names, files and servers of tools. `end` ends the servers, but for those of a session.
 * @throws UsageError for a tool that is missing or not valid, LocalFileError for a server
 */
export async function openTools(
  context: Context,
  { approve = 'ask', events = false, maxTurns = usualMaxTurns }: ChatInput['options'],
  given: readonly string[],
  { session, isKept = false }: { session?: Session; isKept?: boolean } = {},
) {
  const { clock, env, out, paths, prompts } = context;
  const ask = (name: string) => prompts.select({ message: `Run ${name}?`, choices });
  const files = given.filter((source) => !isMcp(source));
  const folder = join(paths.config, 'tools');
  const lost = isKept ? files.filter((file) => !existsSync(toolFile(file, folder))) : [];
  if (lost.length > 0) out.warn(`tools whose file is gone are left out: ${lost.join(', ')}`);
  const found = files.filter((file) => !lost.includes(file));
  const tools = await readTools(found, { folder, env, clock });
  const servers: McpServers = session?.servers ?? new Map<string, never>();
  const end = async () => {
    if (!session) await Promise.all(Array.from(servers.values(), (server) => server.end()));
  };
  try {
    for (const source of new Set(given.filter(isMcp))) {
      const { connectMcp } = await import('../../tools/mcp.js');
      const taken = new Set(tools.map(({ name }) => name));
      const start = (late: AbortSignal) => {
        const either = session ? AbortSignal.any([late, session.leave.signal]) : late;
        return connectMcp(line, { env, signal: either, taken });
      };
      const line = source.slice(mcpSource('').length);
      const known = servers.get(source);
      const server = known?.isOpen() ? known : await inTime(context, start);
      servers.set(source, server);
      tools.push(...server.tools);
    }
  } catch (error) {
    await end();
    throw error;
  }
  return {
    tools,
    lost: lost.map((file) => basename(file, '.json')),
    end,
    /** What finds them again from any working folder. */
    names: given.map((name) => (!isMcp(name) && name.endsWith('.json') ? resolve(name) : name)),
    ...{ approve, maxTurns, events },
    /** The tools that need no further question. */
    approved: session?.approvedTools ?? new Set<string>(),
    ask: (name: string) => (session ? session.editor.without(() => ask(name)) : ask(name)),
  };
}

/** @throws Pending for calls that are not run, and what `runTurn` failed with */
export async function runToolTurns(
  context: Context,
  client: Client,
  turn: Turn & { readonly use: ToolUse },
) {
  const { conversation, show, use } = turn;
  const { commandHint, out, flags } = context;
  const mayRun = use.approve !== 'ask' || canAsk(context);
  const ran: object[] = [];
  let { question, lookUp } = turn;
  let [cost, usage]: [End['cost'], Usage?] = [{ priceRub: 0 }];
  let found: End['found'];
  let calls = question.parts.length > 0 || question.messages ? [] : conversation?.openCalls;
  const lost = calls?.find(({ name }) => use.lost.includes(name));
  if (lost) {
    const hint = 'restore the file, or continue without it: svc chat -c "your question"';
    const message = `the file of the tool ${lost.name} is gone, and a call of it is waiting`;
    throw new UsageError(message, { code: 'no_such_tool', hint });
  }
  const { maxTokens } = question;
  /** The command that continues has the same limits. */
  const limits = [
    flags.maxCostRub === undefined ? '' : ` --max-cost ${flags.maxCostRub}`,
    maxTokens === undefined ? '' : ` --max-tokens ${maxTokens}`,
    turn.isFitted ? ' --fit' : '',
  ].join('');
  for (let turns = 0; ; turns += 1) {
    const isOver = turns === use.maxTurns;
    const name = conversation?.name ?? `c${conversation?.id}`;
    const again = `svc chat --conversation ${name}${limits}`;
    if (calls?.length && (isOver || !mayRun)) {
      const words = `${calls.length} tool ${calls.length === 1 ? 'call is' : 'calls are'} waiting`;
      const requests = `${turns} ${turns === 1 ? 'request' : 'requests'}`;
      const why = isOver ? `after ${requests} (--max-turns)` : 'for approval';
      const option = mayRun && use.approve !== 'always' ? '' : ' --approve always';
      const isKept = conversation?.id !== undefined;
      const hint = isKept ? `to run them: ${again}${option}` : 'use --approve always';
      throw new Pending(`${words} ${why}`, { code: 'tool_calls_pending', hint });
    }
    try {
      if (calls?.length) {
        const results = await runCalls(context, turn, calls, ran);
        question = { ...question, messages: undefined, parts: [], results, toolChoice: undefined };
      }
      const sum = (end: End): End => {
        found ??= end.found;
        const earlier = { turns, usage, calls: ran };
        return { ...end, found, cost: costSum(cost, end.cost), earlier };
      };
      const finish: Show['finish'] = (end) => show.finish(sum(end));
      const fail: Show['fail'] = (end, error) => {
        if (turns === 0 || !isFree(error)) return show.fail(sum(end), error);
        const earlier = { turns: turns - 1, usage, calls: ran };
        return show.fail({ ...end, found, cost, earlier }, error);
      };
      const continues: Turn['continues'] = (answer) => {
        const parts = keptAnswer(turn.format, answer, true)?.parts ?? [];
        const isCalled = parts.some(({ type }) => type === 'tool_call');
        return isCalled && mayRun && turns + 1 < use.maxTurns;
      };
      const shown = { ...show, kept: show.kept, finish, fail };
      const asked = { ...turn, question, lookUp, show: shown, continues };
      const said = await runTurn(context, client, asked);
      cost = costSum(cost, said.cost);
      usage = usageSum(usage, said.answer.usage);
      lookUp = undefined;
      calls = said.isComplete ? conversation?.openCalls : [];
      if (!calls?.length) return { ...said, cost };
    } catch (error) {
      const isKept = conversation?.isPending === true && conversation.id !== undefined;
      if (isKept && !flags.json) out.note(commandHint(`to continue: ${again}`));
      // Earlier answers have been paid for, or calls have run.
      const isLate = error instanceof TimeoutError && error.code === 'deadline';
      if (!isLate || (turns === 0 && ran.length === 0)) throw error;
      const hint = isKept ? `to continue: ${again}` : undefined;
      throw new Incomplete(error.message, { code: 'deadline', hint, cause: error });
    }
  }
}

function costSum(one: End['cost'], other: End['cost']): End['cost'] {
  const [before, last] = [one.priceRub, other.priceRub];
  const isKnown = before !== undefined && last !== undefined;
  // Without the noise of the addition.
  const priceRub = isKnown ? Number((before + last).toFixed(9)) : undefined;
  return { ...other, priceRub, searchRub: other.searchRub ?? one.searchRub };
}

/** Whether it refused a request that costs nothing then. */
function isFree(error: unknown): boolean {
  if (error instanceof PriceTooHigh) return true;
  if (!(error instanceof ApiError) || error.outcomeUnknown) return false;
  return error.status >= 400 && error.status < 500;
}

/** Asks about one call after the other, then runs them side by side. @param ran gets each */
async function runCalls(
  context: Context,
  { conversation, use }: Turn & { readonly use: ToolUse },
  calls: readonly ToolCallPart[],
  ran: object[],
): Promise<ToolResultPart[]> {
  const { flags, out, signal } = context;
  const started = await conversation?.startedCalls();
  const prepared: (ToolResult | (() => Promise<ToolResult>))[] = [];
  for (const [place, call] of calls.entries()) {
    if (started?.earlier.has(place)) prepared.push(started.earlier.get(place) ?? unknownResult);
    else if (place >= mostCalls) prepared.push(refused(`More than ${mostCalls} calls at once.`));
    else prepared.push(await approved(context, use, call));
  }
  const run = async (start: (typeof prepared)[number], place: number): Promise<ToolResult> => {
    if (typeof start !== 'function') return start;
    const result = await start().catch((error: unknown) => {
      const isLate = error instanceof TimeoutError;
      if (!signal.aborted && !isLate) throw error;
      // It is not run again: it may have changed something, and others may have ended.
      return refused(
        isLate ? 'This call was stopped: it took too long.' : 'The user stopped this call.',
      );
    });
    started?.keep(place, result);
    return result;
  };
  let results: readonly ToolResult[];
  try {
    started?.start([...prepared.keys()].filter((place) => typeof prepared[place] === 'function'));
    results = await Promise.all(prepared.map(run));
  } finally {
    started?.release();
  }
  const parts: ToolResultPart[] = [];
  for (const [place, { id, name, arguments: given }] of calls.entries()) {
    const { text, isError } = results[place] ?? unknownResult;
    const result = { type: 'tool_result', id, text, isError } as const;
    parts.push(result);
    ran.push({ id, name, arguments: parsed(given), isError });
    if (use.events) await out.text(eventLine({ ...result, name }, out.isScreen));
    else if (isError && !flags.json) out.dim(plainText(`${name}: ${text}`, 300));
  }
  return parts;
}

const refused = (text: string): ToolResult => ({ text, isError: true });

const unknownResult = refused(
  'This call was started before, and svc was ended before its result came: it may have run.',
);

/** @returns what runs an approved call, or why it is not run, as its result */
async function approved(context: Context, use: ToolUse, call: ToolCallPart) {
  const { flags, out } = context;
  const { name } = call;
  const tool = use.tools.find((one) => one.name === name);
  if (!tool) return refused(`There is no tool ${plainText(name, 100)}.`);
  const args = parsed(call.arguments);
  if (!isRecord(args)) return refused('The arguments are not a JSON object.');
  const schema = { ...tool.parameters, $schema: undefined, $async: undefined };
  const faults = faultsOf((ajv) => {
    try {
      ajv.compile(schema);
    } catch {
      // That of a server, which checks the arguments itself.
      return true;
    }
    return ajv.validate(schema, args);
  }, 'the object of arguments');
  if (!faults) return refused('The check of the arguments timed out.');
  if (faults[0]) return refused(`The arguments do not fit: ${faults.join(', ')}.`);
  const shown = `${name} ${visible(toJson(args))}`;
  const isAsked = use.approve === 'ask' && !use.approved.has(name);
  if (isAsked) out.error(shown);
  const choice = isAsked ? await use.ask(name) : use.approve;
  if (choice === 'no' || choice === 'never' || choice === undefined) {
    return refused('The user did not allow this call.');
  }
  if (isAsked && choice === 'always') use.approved.add(name);
  if (!isAsked && !flags.json) out.dim(plainText(shown, 300));
  return () => inTime(context, (late) => tool.run(args, late));
}

/** Escapes what a terminal would not show. */
function visible(json: string): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return json.replace(hidden(), (character) => character.replace(/[^]/g, escaped));
}
