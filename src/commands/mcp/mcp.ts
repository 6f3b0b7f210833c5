/** `svc mcp`: a server of the Model Context Protocol on stdin and stdout. */
import { join, resolve } from 'node:path';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { InputOf } from '../../command.js';
import type { CallSpending, Context, GlobalFlags, Handler } from '../../context.js';
import { exitCodeOf, SvcError } from '../../errors.js';
import { prepareTarget } from '../../files/target.js';
import { formatRub } from '../../lib/amounts.js';
import { recordOf, textOf, toJson, type JsonRecord } from '../../lib/json.js';
import type { Consent } from '../../spending/purse.js';
import type { RunSpending } from '../../spending/spending.js';
import { lineForAgent } from './agent-words.js';
import { usualAskAboveRub, type mcp } from './index.js';
import { instructionsFor } from './instructions.js';
import { McpServer, type Exchange } from './server.js';
import { keyOf, SharedCalls, type SharedCall } from './shared-calls.js';
import { chooseTools, isResumed, listed, toolNamed, wordsFor, type CommandTool } from './tools.js';
import { nextStep, sameCall, timeLimitMs } from './waiting.js';
import { errorCodes, linesOf, ProtocolError, readLine } from './wire.js';

export const run: Handler<typeof mcp> = async (context, { options }) => {
  const { out, signal, stdin, version } = context;
  const calls = new AgentCalls(context, options);
  // Before a call pays for a result that cannot be saved.
  if (!options.readOnly) await prepareTarget({ kind: 'folder', folder: calls.folder });
  context.timeLimit = undefined;
  const write = async (message: object) => {
    try {
      await out.bytes(Buffer.from(`${toJson(message)}\n`));
    } catch {
      // What cannot be written ends svc by its signal.
    }
  };
  const methods = {
    'tools/list': {
      types: { 'params.cursor?': 'string' },
      answer: ({ cursor }: JsonRecord) => {
        if (cursor === undefined) return { tools: calls.tools.map(listed) };
        throw new ProtocolError(errorCodes.invalidParams, 'all tools are on the first page');
      },
    },
    'tools/call': {
      types: { 'params.name': 'string', 'params.arguments?': 'object' },
      answer: (params: JsonRecord, exchange: Exchange) => calls.run(params, exchange),
    },
  } as const;
  const about = {
    serverInfo: { name: 'svc', version },
    instructions: instructionsFor(calls.tools),
  };
  const server = new McpServer(about, methods, write, context.clock);
  if (stdin.isTerminal)
    out.note('an agent starts this server and speaks MCP on stdin; Ctrl-D ends it');
  try {
    for await (const line of linesOf(stdin.conversation(), (words) => out.note(words))) {
      const { message, fault, isRequest, response } = readLine(line);
      if (message) server.receive(message);
      else if (!response || !server.takeAnswer(response)) {
        if (!isRequest) out.note('a line on stdin is not a message of MCP');
        if (fault) await write(fault);
      }
    }
  } catch {
    // The agent, or this run, is ending.
  }
  await server.end();
  await calls.end();
  signal.throwIfAborted();
};

type Options = InputOf<typeof mcp>['options'];

/** What a run of a tool has, whether one client waits for it or several. */
interface Running extends Exchange {
  readonly timeoutMs: number | undefined;
  readonly delivery?: SharedCall['delivery'];
}

/** The calls of the agent: each is a run of svc, and all have one ceiling. */
class AgentCalls {
  readonly tools: readonly CommandTool[];
  /** The folder for results. */
  readonly folder: string;
  /** The flags of every call; a call may have its own ceiling. */
  readonly #flags: Omit<GlobalFlags, 'maxCostRub'>;
  /** What all calls together may cost. */
  readonly #maxCostRub: number | undefined;
  /** What a call may cost without a question to the user. */
  readonly #askAboveRub: number;
  /** The sum of all calls, which outlives each of them. */
  #spending: Promise<RunSpending> | undefined;
  /** Those that equal calls wait for, or resume. */
  readonly #shared: SharedCalls;

  constructor(
    private readonly context: Context,
    options: Options,
  ) {
    const { flags, paths, program } = context;
    this.tools = chooseTools(program, options);
    this.#shared = new SharedCalls(context.clock);
    this.folder = resolve(options.files ?? join(paths.data, 'files'));
    // Under --read-only too: a list of jobs may send a paid request of an earlier command again.
    const { maxCostRub, ...others } = flags;
    this.#askAboveRub = options.askAbove ?? usualAskAboveRub;
    this.#maxCostRub = options.readOnly ? 0 : maxCostRub;
    this.#flags = { ...others, json: true, verbose: false, input: false, keptTools: false };
  }

  async run(params: JsonRecord, exchange: Exchange): Promise<CallToolResult> {
    // Its client would not know what to do with the result that it pays for.
    if (params['task'] !== undefined)
      throw new ProtocolError(errorCodes.methodNotFound, 'tools are not called as tasks');
    const tool = toolNamed(textOf(params['name']) ?? '', this.tools);
    const given = recordOf(params['arguments']);
    const showsProgress = exchange.onProgress !== undefined;
    const limits = { usualMs: this.#flags.timeoutMs, showsProgress };
    const running = { ...exchange, timeoutMs: timeLimitMs(tool, given, limits) };
    const run = isResumed(tool) ? this.#share : this.#run;
    return run.call(this, tool, given, running).catch(failure);
  }

  /** Ends what continues without a client: the same call resumes it, at another server too. */
  async end(): Promise<void> {
    await this.#shared.end();
  }

  /** Calls with the same request wait for one run of it, whatever they may cost or take. */
  async #share(tool: CommandTool, given: JsonRecord, running: Running): Promise<CallToolResult> {
    const key = await keyOf(tool, given, this.folder);
    const result = await this.#shared.join(
      { key, isNew: given['new'] === true },
      running,
      ({ delivery, onProgress, signal }) =>
        this.#run(tool, given, { ...running, delivery, onProgress, signal }),
    );
    const text = toJson({ state: 'running', next: sameCall(tool) });
    return result ?? { content: [{ type: 'text', text }] };
  }

  async #run(
    tool: CommandTool,
    given: JsonRecord,
    { ask, delivery, onProgress, signal, timeoutMs }: Running,
  ): Promise<CallToolResult> {
    const { context, folder } = this;
    const argv = ['--json', ...wordsFor(tool, given, folder)];
    const [{ runCall }, { UserConsent }] = await Promise.all([
      import('./call.js'),
      import('./consent.js'),
    ]);
    const asking = ask && ((form: object) => ask(form, signal));
    const consent =
      asking && new UserConsent(this.#askAboveRub, tool.name, asking, () => this.#all());
    const spending: Context['spending'] = { within: this.#within(consent) };
    const result = await runCall(context, {
      argv,
      flags: { ...this.#flags, timeoutMs },
      spending,
      signal: AbortSignal.any([signal, context.signal]),
      onProgress,
      delivery,
      folder,
      hasFiles: tool.hasFiles === true,
      structuredAs: tool.does === 'reads' ? (tool.gives ?? 'result') : undefined,
      nextStep: nextStep(tool, this.tools),
      lineForAgent: (line) => lineForAgent(line, tool, this.tools),
    });
    await spending.ofRun?.end();
    if (!consent?.isLate) return result;
    const rub = spending.ofRun?.committedRub ?? 0;
    const text = rub > 1e-9 ? `the call spent up to ${formatRub(rub)}` : 'nothing was spent';
    return { ...result, content: [...result.content, { type: 'text', text }] };
  }

  /** What limits a call beside its own ceiling. */
  #within(consent: Consent | undefined): CallSpending {
    const isLimited = consent !== undefined || this.#maxCostRub !== undefined;
    return { isLimited, open: async () => ({ all: await this.#all(), consent }) };
  }

  #all(): Promise<RunSpending> {
    const open = async () => {
      const { context } = this;
      const [{ RunSpending }, client] = await Promise.all([
        import('../../spending/spending.js'),
        context.client({ key: 'optional' }),
      ]);
      const limited = { ...context, flags: { ...context.flags, maxCostRub: this.#maxCostRub } };
      return new RunSpending(limited, client);
    };
    // A config file that could not be read may be repaired.
    return (this.#spending ??= open().catch((error: unknown) => {
      this.#spending = undefined;
      throw error;
    }));
  }
}

function failure(error: unknown): CallToolResult {
  if (!(error instanceof SvcError)) throw error;
  const { code, message, hint } = error;
  const text = JSON.stringify({ error: { exit: exitCodeOf(error), code, message, hint } });
  return { content: [{ type: 'text', text }], isError: true };
}
