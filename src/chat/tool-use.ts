/** The tools that svc runs for a question: their files, the servers of MCP, and who approves calls. */
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

/** The tools of one question, by their names, files and servers. */
export interface ToolSources {
  readonly sources: readonly string[];
  /** Whether they are those of the conversation, so that a lost file is no error. */
  readonly areStored: boolean;
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

export class ToolUse {
  readonly tools: Tool[] = [];
  /** What finds them again from any working folder. */
  readonly names: readonly string[];
  /** The tools whose files are gone. */
  readonly lost: readonly string[];
  readonly approve: 'ask' | 'always' | 'never';
  /** The maximum number of requests. */
  readonly maxTurns: number;
  /** Whether the result of each call is printed as an event. */
  readonly events: boolean;
  /** The tools that run without a further question. */
  readonly approved: Set<string>;
  readonly #servers: Map<string, McpServer>;
  readonly #files: readonly string[];

  private constructor(
    private readonly context: Context,
    { approve = 'ask', events = false, maxTurns = usualMaxTurns }: ToolOptions,
    private readonly from: ToolSources,
    private readonly shared?: SharedTools,
  ) {
    this.approve = approve;
    this.events = events;
    this.maxTurns = maxTurns;
    this.approved = shared?.approved ?? new Set();
    this.#servers = shared?.servers ?? new Map<string, McpServer>();
    const { sources } = from;
    this.names = sources.map((name) =>
      !isMcp(name) && name.endsWith('.json') ? resolve(name) : name,
    );
    const files = sources.filter((source) => !isMcp(source));
    const lost = from.areStored
      ? files.filter((file) => !existsSync(toolFile(file, this.#folder)))
      : [];
    this.lost = lost.map((file) => basename(file, '.json'));
    this.#files = files.filter((file) => !lost.includes(file));
    if (lost.length === 0) return;
    context.out.warn(`tools whose file is gone are left out: ${lost.join(', ')}`);
  }

  /** @throws UsageError for a tool that is missing or not valid, LocalFileError for a server */
  static async open(
    context: Context,
    options: ToolOptions,
    from: ToolSources,
    shared?: SharedTools,
  ): Promise<ToolUse> {
    const use = new ToolUse(context, options, from, shared);
    await use.#load();
    return use;
  }

  /** Asks whether this tool may run. */
  async ask(name: string): Promise<Approval | undefined> {
    const { prompts } = this.context;
    const ask = () => prompts.select({ message: `Run ${name}?`, choices });
    return this.shared ? this.shared.withTerminal(ask) : ask();
  }

  /** Ends the servers, unless others share them. */
  async end(): Promise<void> {
    if (this.shared) return;
    await Promise.all(Array.from(this.#servers.values(), (server) => server.end()));
  }

  async #load(): Promise<void> {
    const { clock, env } = this.context;
    const machine = { folder: this.#folder, env, clock };
    this.tools.push(...(await readTools(this.#files, machine)));
    try {
      for (const source of new Set(this.from.sources.filter(isMcp))) {
        const server = await this.#serverOf(source);
        this.#servers.set(source, server);
        this.tools.push(...server.tools);
      }
    } catch (error) {
      await this.end();
      throw error;
    }
  }

  async #serverOf(source: string): Promise<McpServer> {
    const { context, shared } = this;
    const known = this.#servers.get(source);
    if (known?.isOpen()) return known;
    const { connectMcp } = await import('../tools/mcp.js');
    const taken = new Set(this.tools.map(({ name }) => name));
    const commandLine = source.slice(mcpSource('').length);
    return inTime(context, (late) => {
      const signal = shared ? AbortSignal.any([late, shared.end]) : late;
      return connectMcp(commandLine, { env: context.env, signal, taken });
    });
  }

  get #folder(): string {
    return join(this.context.paths.config, 'tools');
  }
}
