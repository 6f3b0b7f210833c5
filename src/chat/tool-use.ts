/** The tools that svc runs for a question: their files, the MCP servers, and who approves calls. */
import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Context } from '../context.js';
import { inTime } from '../http/deadline.js';
import { readTools, toolFile } from '../tools/folder.js';
import type { McpServer } from '../tools/mcp.js';
import type { Tool } from '../tools/tool.js';

/** When and how often calls are run, named as on the command line. */
export interface ToolOptions {
  readonly approve?: 'ask' | 'always' | 'never';
  readonly maxTurns?: number;
  readonly events?: boolean;
}

/** What the questions of a session have together. */
export interface SharedTools {
  /** The servers by their sources; each is started by the first question that uses it. */
  readonly servers: Map<string, McpServer>;
  /** The tools that run without a further question. */
  readonly approved: Set<string>;
  /** Aborts when the session ends. */
  readonly end: AbortSignal;
  /** Gives the terminal to a question. */
  readonly withTerminal: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/** What the user says to a call; undefined is a no too. */
type Approval = 'no' | 'yes' | 'always';

const usualMaxTurns = 10;
const choices: readonly { value: Approval; name: string }[] = [
  { value: 'no', name: 'No' },
  { value: 'yes', name: 'Yes' },
  { value: 'always', name: 'Yes, and do not ask again about this tool' },
];

/** How a conversation stores a server of --mcp. */
export const mcpSource = (commandLine: string) => `mcp:${commandLine}`;
const isMcp = (source: string) => source.startsWith(mcpSource(''));

/** The tools of a question. */
export interface ToolUse extends Required<ToolOptions> {
  readonly tools: readonly Tool[];
  /** What finds them again from any working folder. */
  readonly names: readonly string[];
  /** The tools whose files are gone. */
  readonly lost: readonly string[];
  /** Those that run without a further question. */
  readonly approved: Set<string>;
  /** Asks whether this tool may run. */
  ask(name: string): Promise<Approval | undefined>;
  /** Ends the servers, but for those of a session. */
  end(): Promise<void>;
}

/**
 * @param sources names, files and servers; those of the conversation where `areStored`: then a lost
 * file is no error
 * @throws UsageError for a tool that is missing or not valid, LocalFileError for a server
 */
export async function loadTools(
  context: Context,
  { approve = 'ask', events = false, maxTurns = usualMaxTurns }: ToolOptions,
  { sources, areStored }: { readonly sources: readonly string[]; readonly areStored: boolean },
  shared?: SharedTools,
): Promise<ToolUse> {
  const { clock, env, out, paths, prompts } = context;
  const folder = join(paths.config, 'tools');
  const files = sources.filter((source) => !isMcp(source));
  const lost = areStored ? files.filter((file) => !existsSync(toolFile(file, folder))) : [];
  if (lost.length > 0) out.warn(`tools whose file is gone are left out: ${lost.join(', ')}`);
  const present = files.filter((file) => !lost.includes(file));
  const tools = await readTools(present, { folder, env, clock });
  const servers = shared?.servers ?? new Map<string, McpServer>();
  const end = async () => {
    if (!shared) await Promise.all(Array.from(servers.values(), (server) => server.end()));
  };
  const start = async (source: string) => {
    const { connectMcp } = await import('../tools/mcp.js');
    const taken = new Set(tools.map(({ name }) => name));
    return inTime(context, (late) => {
      const signal = shared ? AbortSignal.any([late, shared.end]) : late;
      return connectMcp(source.slice(mcpSource('').length), { env, signal, taken });
    });
  };
  try {
    for (const source of new Set(sources.filter(isMcp))) {
      const known = servers.get(source);
      const server = known?.isOpen() ? known : await start(source);
      servers.set(source, server);
      tools.push(...server.tools);
    }
  } catch (error) {
    await end();
    throw error;
  }
  const ask = (name: string) => prompts.select({ message: `Run ${name}?`, choices });
  return {
    ...{ approve, events, maxTurns, tools, end },
    names: sources.map((name) => (!isMcp(name) && name.endsWith('.json') ? resolve(name) : name)),
    lost: lost.map((file) => basename(file, '.json')),
    approved: shared?.approved ?? new Set(),
    ask: (name) => (shared ? shared.withTerminal(() => ask(name)) : ask(name)),
  };
}
