import { call } from '../../api/call.js';
import * as wire from '../../api/chat/question.js';
import type { Client } from '../../api/client.js';
import { refusesField } from '../../api/refusal.js';
import type { Context } from '../../context.js';
import { UsageError } from '../../errors.js';
import * as rows from '../../contract/chat.js';
import { numberOf, recordOf } from '../../lib/json.js';
import { openConversation, type Conversation } from './conversation.js';
import type { ChatInput, GivenInput } from './index.js';
import { questionFrom } from './question.js';
import { openShow } from './show.js';
import type { Session } from './session.js';
import type { ToolUse } from './tool-turns.js';
import { runTurns } from './turn.js';

export const run = async (context: Context, given: GivenInput): Promise<void> => {
  const { save, template } = given.options;
  if ((save ?? template) !== undefined) {
    return (await import('./template.js')).runTemplate(context, given);
  }
  const [model, ...others] = given.options.model;
  const input = { ...given, options: { ...given.options, model } };
  if (others.length > 0) return (await import('./compare.js')).compare(context, input, others);
  if (input.options.interactive) return (await import('./session.js')).runSession(context, input);
  const conversation = await openConversation(context, input.options);
  const use = await toolsToRun(context, input.options, conversation.last?.tool);
  await ask(context, input, conversation, use).finally(() => use?.end());
};

async function ask(
  context: Context,
  input: ChatInput,
  conversation: Conversation,
  use: ToolUse | undefined,
): Promise<void> {
  const { last } = conversation;
  const format = input.options.format ?? last?.format ?? 'chat';
  const isPending = use !== undefined && conversation.isPending;
  const known = { ...last, tools: use?.tools ?? last?.tools, tool: use?.names };
  const question = await questionFrom(context, input, format, known, isPending);
  const { search: query } = input.options;
  const lookUp =
    query === undefined ? undefined : (await import('./search.js')).prepareSearch(query);
  const client = await context.client();
  if (input.options.countTokens) {
    const messages = [...(await conversation.messages('messages')), ...(question.messages ?? [])];
    const { data, inputTokens } = await tokenCount(client, { ...question, messages });
    // Section 4.10 does not show the reply: an unknown one is printed unchanged.
    const isUnknown = context.flags.json || inputTokens === undefined;
    return isUnknown ? context.out.json(data) : context.out.line(String(inputTokens));
  }
  const { fit: isFitted } = input.options;
  if (isFitted && !client.spending && !context.flags.dryRun) {
    const hint = 'svc chat --max-cost 2 --fit …';
    throw new UsageError('--fit needs --max-cost or a budget', { code: 'usage', hint });
  }
  const show = await openShow(context, input.options);
  const turn = { format, question, show, lookUp, conversation, isFitted, use };
  if (question.schema) {
    const { runChecked } = await import('./schema.js');
    return runChecked(context, client, turn, input.options.repair === true);
  }
  await runTurns(context, client, turn);
}

/** The tools of the line, or those of the conversation unless the line has definitions. */
export async function toolsToRun(
  context: Context,
  options: ChatInput['options'],
  kept: readonly string[] = [],
  session?: Session,
): Promise<ToolUse | undefined> {
  const { mcp, tool, tools } = options;
  const isKept = [...mcp, ...tool].length === 0 && tools === undefined;
  if (isKept && kept.length === 0) return undefined;
  if (isKept && !context.flags.keptTools) {
    const why = 'svc mcp starts no program, and this conversation has tools to run';
    throw new UsageError(why, { code: 'usage', hint: 'start another conversation' });
  }
  const { mcpSource, openTools } = await import('./tool-turns.js');
  const given = isKept ? kept : [...tool, ...mcp.map(mcpSource)];
  return given.length === 0 ? undefined : openTools(context, options, given, { session, isKept });
}

/** Estimates in the messages format, whatever the format of the request. */
export async function tokenCount(client: Client, question: wire.ChatCall) {
  const body = wire.countBody(question);
  const { data } = await call(client, rows.countTokens, { body }).catch((error: unknown) => {
    if (body.tools === undefined || !refusesField(error, /\btools\b/)) throw error;
    // Section 2.4 counts characters, so tools count as text.
    const { system = '', tools, ...others } = body;
    const text = `${system}\n${JSON.stringify(tools)}`;
    return call(client, rows.countTokens, { body: { ...others, system: text } });
  });
  return { data, inputTokens: numberOf(recordOf(data)['input_tokens']) };
}
