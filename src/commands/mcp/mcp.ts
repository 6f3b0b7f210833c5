/** `svc mcp`: a server of the Model Context Protocol on stdin and stdout. */
import { join, resolve } from 'node:path';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import type { CallToolResult, JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod/mini';
import type { Context } from '../../cli/context.js';
import type { Handler } from '../../cli/declaration.js';
import { SvcError } from '../../errors.js';
import { parsedJson, recordOf } from '../../lib/json.js';
import { plainText } from '../../lib/plain-text.js';
import type { mcp } from './index.js';
import { chooseTools, listed, toolNamed, wordsFor } from './tools.js';

// Compiling the few schemas that are used takes longer than it saves; the SDK sets other messages.
z.config({ jitless: true, localeError: undefined });

export const run: Handler<typeof mcp> = async (context, { options }) => {
  const { flags, out, paths, signal, stdin, version } = context;
  const tools = chooseTools(options);
  const folder = resolve(options.files ?? join(paths.data, 'files'));
  // Under --read-only too: a list of jobs may send a paid request of an earlier command again.
  const givenRub = options.readOnly ? 0 : (options.budget ?? flags.maxCostRub);
  const budgetRub = givenRub && Math.min(givenRub, flags.maxCostRub ?? givenRub);
  const spending: Context['spending'] | undefined = budgetRub === undefined ? undefined : {};
  const { timeoutMs, ...others } = flags;
  const shared = { ...others, json: true, verbose: false, input: false, maxCostRub: budgetRub };
  /** One sum for all calls: it outlives each of them. */
  const openBudget = async () => {
    if (!spending || spending.ofRun) return;
    const [{ openSpending }, client] = await Promise.all([
      import('../../jobs/spending.js'),
      context.client({ key: 'optional' }),
    ]);
    const limited = { ...context, flags: { ...flags, ...shared } };
    spending.ofRun ??= openSpending(limited, client, '--budget of svc mcp');
  };

  // The other class of the SDK wants zod schemas for what the declarations say.
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  const server = new Server({ name: 'svc', version }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(listed) }));
  const running = new Set<Promise<unknown>>();
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const { name, arguments: given = {}, _meta: { progressToken } = {} } = params;
    let progress = 0;
    const tell = (message: string) => {
      progress += 1;
      const news = { progressToken: progressToken ?? 0, progress, message: plainText(message) };
      extra
        .sendNotification({ method: 'notifications/progress', params: news })
        .catch(() => undefined);
    };
    const onProgress = progressToken === undefined ? undefined : tell;
    const call = async (): Promise<CallToolResult> => {
      const tool = toolNamed(name, tools);
      const argv = ['--json', ...wordsFor(tool, given, folder)];
      await openBudget();
      const { timeout = null } = given;
      const own = timeout === null ? { ...shared, timeoutMs } : shared;
      const images = tool.hasFiles && folder;
      const ended = AbortSignal.any([extra.signal, signal]);
      const { runCall } = await import('./call.js');
      return runCall(context, argv, { flags: own, spending, signal: ended, onProgress }, images);
    };
    const result = call().catch(failure);
    running.add(result);
    return result.finally(() => running.delete(result));
  });

  // That of the SDK checks each message once more, and ends with one of 10 MB.
  const transport: Transport = {
    start: () => Promise.resolve(),
    // What cannot be written ends svc by its signal.
    send: (message) =>
      Promise.resolve(Buffer.from(`${JSON.stringify(message)}\n`))
        .then(out.bytes)
        .catch(() => undefined),
    close: () => Promise.resolve(transport.onclose?.()),
  };
  server.onerror = ({ message }) => out.note(plainText(message, 200));
  await server.connect(transport);
  if (stdin.isTerminal)
    out.note('an agent starts this server and speaks MCP on stdin; Ctrl-D ends it');
  const decoder = new TextDecoder();
  let line = '';
  try {
    for await (const piece of stdin.pieces()) {
      const [end = '', ...more] = decoder.decode(piece, { stream: true }).split('\n');
      line += end;
      for (const next of more) {
        const message = parsedJson(line);
        if (isMessage(message)) transport.onmessage?.(message);
        else out.note('a line on stdin is not a message of MCP');
        line = next;
      }
    }
  } catch {
    // The agent, or this run, is ending.
  }
  await server.close();
  // Closing the server has aborted them.
  await Promise.all(running);
  await spending?.ofRun?.end();
  signal.throwIfAborted();
};

/** What kind of message it is, the server checks. */
function isMessage(value: unknown): value is JSONRPCMessage {
  return recordOf(value)['jsonrpc'] === '2.0';
}

function failure(error: unknown): CallToolResult {
  if (!(error instanceof SvcError)) throw error;
  const { code, message, hint } = error;
  const text = JSON.stringify({ error: { code, message, hint } });
  return { content: [{ type: 'text', text }], isError: true };
}
