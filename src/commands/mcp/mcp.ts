/** `svc mcp`: a server of the Model Context Protocol on stdin and stdout. */
import { join, resolve } from 'node:path';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  type CallToolRequest,
  type CallToolResult,
  type JSONRPCMessage,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod/mini';
import type { InputOf } from '../../command.js';
import type { Context, GlobalFlags, Handler } from '../../context.js';
import { exitCodeOf, SvcError, UsageError } from '../../errors.js';
import { prepareTarget } from '../../files/target.js';
import { listOf, parsedJson, recordOf, toJson } from '../../lib/json.js';
import { plainText } from '../../lib/plain-text.js';
import type { mcp } from './index.js';
import { chooseTools, listed, toolNamed, wordsFor, type CommandTool } from './tools.js';
import { linesOf, readLine, sentField } from './wire.js';

// Compiling the few schemas that are used takes longer than it saves; the SDK sets other messages.
z.config({ jitless: true, localeError: undefined });

export const run: Handler<typeof mcp> = async (context, { options }) => {
  const { out, signal, stdin, version } = context;
  const calls = new AgentCalls(context, options);
  // Before a call pays for a result that cannot be saved.
  if (!options.readOnly) await prepareTarget({ kind: 'folder', folder: calls.folder });
  context.timeLimit = undefined;
  // The other class of the SDK wants zod schemas for what the declarations say.
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  const server = new Server({ name: 'svc', version }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: calls.tools.map(listed) }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => calls.run(params, extra));
  // What cannot be written ends svc by its signal.
  const write = (message: object) =>
    Promise.resolve(Buffer.from(`${toJson(message)}\n`))
      .then((line) => out.bytes(line))
      .catch(() => undefined);
  // That of the SDK checks each message once more, and ends with one of 10 MB.
  const transport: Transport = {
    start: () => Promise.resolve(),
    send: (message) =>
      write({ ...explained(message), ...sentField('id', recordOf(message)['id']) }),
    close: () => Promise.resolve(transport.onclose?.()),
  };
  server.onerror = ({ message }) => out.note(plainText(message, 200));
  await server.connect(transport);
  if (stdin.isTerminal)
    out.note('an agent starts this server and speaks MCP on stdin; Ctrl-D ends it');
  try {
    for await (const line of linesOf(stdin.conversation(), (words) => out.note(words))) {
      const { message, fault, isRequest } = readLine(line);
      if (message) transport.onmessage?.(message);
      else {
        if (!isRequest) out.note('a line on stdin is not a message of MCP');
        await write(fault);
      }
    }
  } catch {
    // The agent, or this run, is ending.
  }
  await server.close();
  // Closing the server has aborted them.
  await calls.end();
  signal.throwIfAborted();
};

type Options = InputOf<typeof mcp>['options'];
type CallParams = CallToolRequest['params'];
type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** The calls of the agent: each is a run of svc, and all have one budget. */
class AgentCalls {
  readonly tools: readonly CommandTool[];
  /** The folder for results. */
  readonly folder: string;
  readonly #running = new Set<Promise<unknown>>();
  /** The flags of every call. */
  readonly #flags: GlobalFlags;
  /** The sum of all calls, where they have a budget: it outlives each of them. */
  readonly #spending: Context['spending'] | undefined;

  constructor(
    private readonly context: Context,
    private readonly options: Options,
  ) {
    const { flags, paths, program } = context;
    this.tools = chooseTools(program, options);
    this.folder = resolve(options.files ?? join(paths.data, 'files'));
    // Under --read-only too: a list of jobs may send a paid request of an earlier command again.
    const limitRub = options.readOnly ? 0 : (options.budget ?? flags.maxCostRub);
    const maxCostRub = limitRub && Math.min(limitRub, flags.maxCostRub ?? limitRub);
    this.#spending = maxCostRub === undefined ? undefined : {};
    this.#flags = { ...flags, json: true, verbose: false, input: false, maxCostRub };
  }

  run(params: CallParams, extra: Extra): Promise<CallToolResult> {
    const tool = calledTool(params.name, this.tools);
    const result = this.#call(tool, params, extra).catch(failure);
    this.#running.add(result);
    return result.finally(() => this.#running.delete(result));
  }

  /** Waits for the calls, and closes their budget. */
  async end(): Promise<void> {
    await Promise.all(this.#running);
    await this.#spending?.ofRun?.end();
  }

  async #call(tool: CommandTool, params: CallParams, extra: Extra): Promise<CallToolResult> {
    const { context, folder } = this;
    const { arguments: values = {} } = params;
    const argv = ['--json', ...wordsFor(tool, values, folder)];
    await this.#openBudget();
    const { timeoutMs, ...others } = this.#flags;
    const { timeout = null } = values;
    const { runCall } = await import('./call.js');
    return runCall(context, {
      argv,
      flags: { ...others, keptTools: false, ...(timeout === null && { timeoutMs }) },
      spending: this.#spending,
      signal: AbortSignal.any([extra.signal, context.signal]),
      onProgress: progressTo(extra, params._meta?.progressToken),
      folder,
      sendsImages: tool.hasFiles === true,
    });
  }

  async #openBudget(): Promise<void> {
    const { context, options } = this;
    const spending = this.#spending;
    if (!spending || spending.ofRun) return;
    const [{ RunSpending }, client] = await Promise.all([
      import('../../spending/spending.js'),
      context.client({ key: 'optional' }),
    ]);
    const limited = { ...context, flags: this.#flags };
    const ceiling = this.#flags.maxCostRub === options.budget ? '--budget' : '--max-cost';
    spending.ofRun ??= new RunSpending(limited, client, ceiling);
  }
}

/** Tells the agent what a spinner would show, where it has given a token. */
function progressTo(extra: Extra, progressToken: unknown) {
  if (progressToken === undefined) return undefined;
  let [progress, latest] = [0, ''];
  return (words: string): void => {
    const message = plainText(words.replace(/[█░]+ /, ''));
    if (message === latest) return;
    [progress, latest] = [progress + 1, message];
    const token = sentField('progressToken', progressToken);
    const params = { progressToken: 0, progress, message, ...token };
    extra.sendNotification({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}

/** @throws Error that the SDK answers as an error of the protocol */
function calledTool(name: string, tools: readonly CommandTool[]): CommandTool {
  try {
    return toolNamed(name, tools);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const { code, hint, message } = error;
    throw Object.assign(new Error(message), {
      code: ErrorCode.InvalidParams,
      data: { code, hint },
    });
  }
}

/** The SDK answers params that do not fit with an internal error and the JSON of zod. */
function explained(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message)) return message;
  const [fault] = listOf(parsedJson(message.error.message));
  if (fault === undefined) return message;
  const words = `${listOf(recordOf(fault)['path']).join('.')} is missing or has a wrong type`;
  return { ...message, error: { code: ErrorCode.InvalidParams, message: words } };
}

function failure(error: unknown): CallToolResult {
  if (!(error instanceof SvcError)) throw error;
  const { code, message, hint } = error;
  const text = JSON.stringify({ error: { exit: exitCodeOf(error), code, message, hint } });
  return { content: [{ type: 'text', text }], isError: true };
}
