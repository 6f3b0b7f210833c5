/** From a question to its answer: alone, with tools that svc runs, or checked against a schema. */
import type { Client } from '../api/client.js';
import type { Context } from '../context.js';
import { UsageError } from '../errors.js';
import type { SharedTools, ToolOptions, ToolUse } from './tool-use.js';
import { askOnce, type Turn, type TurnResult } from './turn.js';

/** Asks, shows and logs. @throws what it failed with, after what has arrived is shown and logged. */
export async function ask(context: Context, client: Client, turn: Turn): Promise<void> {
  const { check, question, use } = turn;
  const askTurn = async (next: Turn): Promise<TurnResult> => {
    if (!use || context.flags.dryRun) return askOnce(context, client, next);
    const { askWithTools } = await import('./tool-turns.js');
    return askWithTools(context, client, { ...next, use });
  };
  if (check && question.schema) {
    const { askChecked } = await import('./schema-check.js');
    await askChecked(context, turn, check === 'repair', askTurn).catch((error: unknown) => {
      // The same answer would not fit again.
      client.cache?.forget();
      throw error;
    });
  } else {
    await askTurn(turn);
  }
  await client.cache?.flush();
}

/** What names the tools of a question, as on the command line. */
export interface ToolChoice extends ToolOptions {
  /** The names and files of tools that svc runs. */
  readonly tool: readonly string[];
  /** The command lines of MCP servers. */
  readonly mcp: readonly string[];
  /** A file of definitions, whose calls are only printed. */
  readonly toolDefinitions?: string;
}

/** The tools of the options, or those of the conversation unless the options have definitions. */
export async function openTools(
  context: Context,
  options: ToolChoice,
  stored: readonly string[] = [],
  shared?: SharedTools,
): Promise<ToolUse | undefined> {
  const { mcp, tool, toolDefinitions } = options;
  const areStored = mcp.length === 0 && tool.length === 0 && toolDefinitions === undefined;
  if (areStored && stored.length === 0) return undefined;
  if (areStored && !context.flags.keptTools) {
    const message = 'svc mcp starts no program, and this conversation has tools to run';
    throw new UsageError(message, { hint: 'start another conversation' });
  }
  const { loadTools, mcpSource } = await import('./tool-use.js');
  const sources = areStored ? stored : [...tool, ...mcp.map(mcpSource)];
  if (sources.length === 0) return undefined;
  return loadTools(context, options, { sources, areStored }, shared);
}
