/** `svc mcp`: a server of the Model Context Protocol on stdin and stdout. */
import { join, resolve } from 'node:path';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  type CallToolResult,
  type JSONRPCMessage,
} from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod/mini';
import type { Context, Handler } from '../../context.js';
import { exitCodeOf, SvcError, UsageError } from '../../errors.js';
import { mostBytes } from '../../files/named-file.js';
import { prepareTarget } from '../../files/target.js';
import { listOf, parsedJson, recordOf, toJson } from '../../lib/json.js';
import { plainText } from '../../lib/plain-text.js';
import type { mcp } from './index.js';
import { chooseTools, listed, toolNamed, wordsFor, type CommandTool } from './tools.js';
import { readLine, sentField } from './wire.js';

// Compiling the few schemas that are used takes longer than it saves; the SDK sets other messages.
z.config({ jitless: true, localeError: undefined });

export const run: Handler<typeof mcp> = async (context, { options }) => {
  const { flags, out, paths, signal, stdin, version } = context;
  const tools = chooseTools(context.program, options);
  const folder = resolve(options.files ?? join(paths.data, 'files'));
  // Before a call pays for a result that cannot be saved.
  if (!options.readOnly) await prepareTarget({ kind: 'folder', folder });
  // Under --read-only too: a list of jobs may send a paid request of an earlier command again.
  const givenRub = options.readOnly ? 0 : (options.budget ?? flags.maxCostRub);
  const budgetRub = givenRub && Math.min(givenRub, flags.maxCostRub ?? givenRub);
  const spending: Context['spending'] | undefined = budgetRub === undefined ? undefined : {};
  const { timeoutMs, ...others } = flags;
  context.timeLimit = undefined;
  const shared = { ...others, json: true, verbose: false, input: false, maxCostRub: budgetRub };
  /** One sum for all calls: it outlives each of them. */
  const openBudget = async () => {
    if (!spending || spending.ofRun) return;
    const [{ RunSpending }, client] = await Promise.all([
      import('../../spending/spending.js'),
      context.client({ key: 'optional' }),
    ]);
    const limited = { ...context, flags: { ...flags, ...shared } };
    const ceiling = budgetRub === options.budget ? '--budget' : '--max-cost';
    spending.ofRun ??= new RunSpending(limited, client, ceiling);
  };

  // The other class of the SDK wants zod schemas for what the declarations say.
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  const server = new Server({ name: 'svc', version }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(listed) }));
  const running = new Set<Promise<unknown>>();
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const { name, arguments: given = {}, _meta: { progressToken } = {} } = params;
    let [progress, told] = [0, ''];
    const tell = (words: string) => {
      const message = plainText(words.replace(/[█░]+ /, ''));
      if (message === told) return;
      [progress, told] = [progress + 1, message];
      const token = sentField('progressToken', progressToken);
      const news = { progressToken: 0, progress, message, ...token };
      extra
        .sendNotification({ method: 'notifications/progress', params: news })
        .catch(() => undefined);
    };
    const onProgress = progressToken === undefined ? undefined : tell;
    const tool = calledTool(name, tools);
    const call = async (): Promise<CallToolResult> => {
      const argv = ['--json', ...wordsFor(tool, given, folder)];
      await openBudget();
      const { timeout = null } = given;
      const own = { ...shared, keptTools: false, ...(timeout === null && { timeoutMs }) };
      const ended = AbortSignal.any([extra.signal, signal]);
      const { runCall } = await import('./call.js');
      const how = { flags: own, spending, signal: ended, onProgress };
      return runCall(context, argv, how, folder, tool.hasFiles === true);
    };
    const result = call().catch(failure);
    running.add(result);
    return result.finally(() => running.delete(result));
  });

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
  const decoder = new TextDecoder();
  let line = '';
  try {
    for await (const piece of stdin.conversation()) {
      const [end = '', ...more] = decoder.decode(piece, { stream: true }).split('\n');
      // What is longer is not kept, so it is not a message.
      if (line.length <= mostBytes) line += end;
      for (const next of more) {
        const read = readLine(line);
        if (read.message) transport.onmessage?.(read.message);
        else {
          if (!read.isRequest) out.note('a line on stdin is not a message of MCP');
          await write(read.fault);
        }
        line = next;
      }
    }
    if (line.trim() !== '') out.note('the last line on stdin has no end and was not read');
  } catch {
    // The agent, or this run, is ending.
  }
  await server.close();
  // Closing the server has aborted them.
  await Promise.all(running);
  await spending?.ofRun?.end();
  signal.throwIfAborted();
};

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
